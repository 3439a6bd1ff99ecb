"use strict";

// The page of one seat. The server sends all that is shown; clicks and keys are sent back as actions.

const seat = location.pathname.replace(/\/$/, "");
const element = (name) => document.getElementById(name);
let shown = null; // what the server has sent last
let typed = ""; // the digits of a choice that is being typed
const underWay = new Set(); // what is waited for: a move, a hint

element("question").textContent = "Connecting …"; // in place of what is said where no script runs

// Listening: a browser asks again by itself when the connection is lost, but not when it was answered with an error, nor
// when the connection is dead and nobody has said so, as when a phone goes from one network to another. So this page
// listens anew when it hears nothing for long, when it is looked at, and when it learns that it is out of date.

const LOST = "The connection is lost; this page tries again.";
const SECONDS_UNTIL_NEXT = 5;
const SECONDS_OF_SILENCE = 40; // the server gives a sign of life every 15
let events = null; // what this page listens to
let again = null; // when it tries again
let silent = null; // when it has heard nothing for too long

// A game that nobody has moved in is not kept when the server is stopped.
function orKept(sentence) {
  return shown && shown.kept ? `${sentence} The game is kept.` : sentence;
}

// Listen anew; what is to be complained of stays when the table is shown.
function listen(complaint = "") {
  stopListening();
  const source = new EventSource(`${seat}/events`);
  events = source;
  source.onmessage = (event) => {
    const page = JSON.parse(event.data);
    awaitSignOfLife();
    receive(page);
    if (complaint) complain(page.problem || complaint);
    complaint = "";
  };
  source.addEventListener("alive", awaitSignOfLife);
  source.addEventListener("invitations", (event) => showInvitations(JSON.parse(event.data)));
  source.onerror = async () => {
    if (source.readyState !== EventSource.CLOSED) return complain(orKept(LOST));
    again = setTimeout(listen, 1000 * SECONDS_UNTIL_NEXT);
    const why = await whyNot();
    if (events === source) complain(why);
  };
  awaitSignOfLife();
  makeRoom();
}

function stopListening() {
  clearTimeout(again);
  clearTimeout(silent);
  if (events) events.close();
  events = null;
}

function awaitSignOfLife() {
  clearTimeout(silent);
  silent = setTimeout(listen, 1000 * SECONDS_OF_SILENCE);
}

function receive(page) {
  if (!isPaused) return take(page);
  held = page;
  complain(page.problem); // the connection is there again, if it was lost
}

function take(page) {
  document.title = titleOf(page);
  if (shown && page.view === shown.view) return complain(page.problem); // a menu that is open stays open
  const length = page.log.length;
  const before = shown ? Math.min(shown.log.length, length) : length;
  told = shown ? Math.min(told, length) : length;
  if (shown) ignoreDoubleTaps();
  shown = page;
  show(page, page.known ?? before);
}

// Whose turn it is can be told from a tab that is out of sight.
function titleOf(page) {
  return page.choices.length ? `● ${page.game}` : page.game;
}

// Who watches can pause: what comes in the meantime is held back.

let isPaused = false;
let held = null; // the last page that came since

function pauseOrGoOn() {
  isPaused = !isPaused;
  element("pause").textContent = isPaused ? "Go on" : "Pause";
  if (isPaused || !held) return;
  take(held);
  told = held.log.length; // it may be long, and is marked as new in the log
  held = null;
}

element("pause").addEventListener("click", pauseOrGoOn);

// Why there are no events to listen to, in a sentence.
async function whyNot() {
  try {
    const stopped = new AbortController();
    const answer = await fetch(`${seat}/events`, { signal: stopped.signal });
    const why = answer.ok ? orKept(LOST) : await errorOf(answer);
    stopped.abort();
    return why;
  } catch {
    return orKept(LOST);
  }
}

// A browser has six connections to a server for all its tabs: tabs that listen must leave some for moves. So whoever
// begins to listen asks who else does, and if they are too many, those go that have been out of sight for longest.

const MOST_LISTENING = 4;
const MILLISECONDS_TO_ANSWER = 300;
const me = Math.random();
const tabs = window.BroadcastChannel ? new BroadcastChannel("tables") : null;
let listening = []; // the other tabs that have answered
let lastSeen = Date.now();

function makeRoom() {
  if (!tabs) return;
  listening = [];
  tabs.postMessage({ asks: me });
  setTimeout(() => {
    const all = [{ id: me, lastSeen, isHidden: document.hidden }, ...listening];
    const outOfSight = all.filter((tab) => tab.isHidden).sort((one, other) => one.lastSeen - other.lastSeen);
    for (const tab of outOfSight.slice(0, Math.max(0, all.length - MOST_LISTENING))) {
      if (tab.id === me) rest();
      else tabs.postMessage({ rests: tab.id });
    }
  }, MILLISECONDS_TO_ANSWER);
}

// Give the connection away until somebody looks; the title no longer says whose turn it is.
function rest() {
  if (!document.hidden || !events) return;
  stopListening();
  document.title = `⏸ ${element("game").textContent}`;
}

if (tabs) {
  tabs.onmessage = ({ data }) => {
    if (data.asks && events) tabs.postMessage({ answers: data.asks, id: me, lastSeen, isHidden: document.hidden });
    else if (data.answers === me) listening.push(data);
    else if (data.rests === me) rest();
  };
}

document.addEventListener("visibilitychange", () => {
  lastSeen = Date.now();
  if (!document.hidden) listen();
});

window.addEventListener("online", () => {
  if (events) listen();
});

// Show a page; of its log, so many sentences are not new.
function show(page, known) {
  setTyped(""); // a number may mean something else now
  element("game").textContent = page.game;
  element("seats").textContent = page.seats.map((name, number) => `player_${number}: ${name}`).join(", ");
  const hadFocus = isFocused();
  const action = hadFocus ? document.activeElement.dataset.action : null;
  showPicture(page);
  const asksAnew = showQuestion(page);
  complain(page.problem);
  element("choices").replaceChildren(...page.choices.map(choiceItem));
  element("hint").replaceChildren();
  showLog(page.log, known);
  showUndo(page);
  element("ask").hidden = !page.choices.length || !page.hints;
  element("pause").hidden = page.seat !== null || page.is_over;
  element("record").hidden = !page.is_over;
  element("again").hidden = !page.is_over || page.seat === null || page.next !== null || !page.again;
  element("record").href = `${seat}/record`;
  element("replay").hidden = !page.is_over;
  element("replay-command").textContent = page.replay;
  showNext(page);
  element("earlier").hidden = page.earlier === null || page.acted > 0;
  if (page.earlier !== null) element("earlier-link").href = page.earlier;
  closeMenu();
  noteQuestion(page);
  const movesFocus = !isFocused() && hadFocus;
  if (movesFocus) findFocus(asksAnew ? null : action);
  if (asksAnew) isToBeAsked = !movesFocus;
  tellSoon();
}

// The time to answer is measured here, too: the way to the server and back is not a part of it.

let askedAs = null; // the number of answers before the question that is shown
let askedSince = 0; // when it was first shown

function noteQuestion(page) {
  const number = page.choices.length ? page.acted : null;
  if (number !== askedAs) askedSince = performance.now();
  askedAs = number;
}

// Where nothing can be taken back, the button says why.
function showUndo(page) {
  const button = element("undo");
  button.hidden = !page.can_undo && (!page.no_undo || page.is_over);
  button.title = page.no_undo;
  if (page.no_undo) button.setAttribute("aria-disabled", "true");
  element("why-no-undo").textContent = page.no_undo;
}

// The links of seats that nobody has opened yet: only the page of the person who has opened the game is sent any.
function showInvitations({ links, is_near }) {
  element("invite").hidden = !links.length;
  element("invite-near").hidden = !is_near;
  element("invitations").replaceChildren(...links.map(invitation));
}

function invitation({ seat: number, link, code }) {
  const item = document.createElement("li");
  const field = document.createElement("input");
  field.readOnly = true;
  field.value = link;
  field.setAttribute("aria-label", `The link for player_${number}`);
  field.addEventListener("focus", () => field.select());
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.setAttribute("aria-label", `Copy the link for player_${number}`);
  button.addEventListener("click", () => copy(field, button));
  item.append(`player_${number}`, field, button);
  if (code) {
    const image = document.createElement("img");
    image.src = code;
    image.alt = `QR code of the link for player_${number}`;
    item.append(image);
  }
  return item;
}

// Copy a link; the clipboard's own way is only there where the page comes from this computer or by HTTPS.
async function copy(field, button) {
  field.select();
  try {
    if (navigator.clipboard) await navigator.clipboard.writeText(field.value);
    else if (!document.execCommand("copy")) throw new Error("refused");
    button.textContent = "Copied";
  } catch {
    field.focus(); // the link is selected, to be copied by hand
  }
}

// The question; whether it is another one than before.
function showQuestion(page) {
  const asked = page.question || (page.problem ? "Please wait." : page.waiting);
  const before = element("question").textContent;
  element("question").textContent = page.is_over ? `The game is over. ${page.result}` : asked;
  const asksAnew = element("question").textContent !== before;
  if (asksAnew) element("asked").textContent = ""; // the question before is not to be found beside this one
  return asksAnew;
}

// The way to the game that somebody has begun after this one: nobody is taken away from the end of this one.
function showNext(page) {
  if (page.next !== null && element("next").hidden) element("asked").textContent = "A new game has begun.";
  element("next").hidden = page.next === null;
  if (page.next === null) return;
  element("next-link").href = page.next;
  element("next-link").textContent = page.seat === null ? "watch it" : "join it";
}

// Whether something that can be seen has the keyboard's focus.
function isFocused() {
  const focused = document.activeElement;
  return Boolean(focused) && focused !== document.body && focused.getClientRects().length > 0;
}

// Where the keyboard goes on when what had the focus is gone: at the same choice, or at the question, which is read then.
function findFocus(action) {
  const same = [...element("choices").querySelectorAll("button")].find((one) => one.dataset.action === action);
  (same || element("question")).focus({ preventScroll: true });
}

function showLog(log, known) {
  const items = log.map((sentence, number) => {
    const item = document.createElement("li");
    item.textContent = sentence;
    if (number >= known) item.className = "new";
    return item;
  });
  element("log").replaceChildren(...items.reverse());
}

// What has happened, and what is asked, is told once no page has come for a moment. Agents act at once: if each of their
// moves replaced the one before, only the last would be heard, and read.

const MILLISECONDS_WITHOUT_A_PAGE = 300;
const MOST_MILLISECONDS = 2000; // where pages go on coming
let told = 0; // how many sentences of the log have been told
let isToBeAsked = false; // whether the question is to be told, too
let telling = null; // when that will be
let untoldSince = null; // when the first page came of which nothing has been told

function tellSoon() {
  const now = performance.now();
  untoldSince = untoldSince === null ? now : untoldSince;
  clearTimeout(telling);
  telling = setTimeout(tell, Math.min(MILLISECONDS_WITHOUT_A_PAGE, untoldSince + MOST_MILLISECONDS - now));
}

// Tell what has not been told, and perhaps more.
function tell(more = "") {
  if (typed) return; // what Enter would play stays for as long as it would
  clearTimeout(telling);
  untoldSince = null;
  element("told").textContent = [...shown.log.slice(told), more].join(" ").trim();
  told = shown.log.length;
  if (isToBeAsked) element("asked").textContent = element("question").textContent;
  isToBeAsked = false;
}

// The second tap of a double tap falls on what has come to the same place since the first: nobody has chosen that. What
// keys click has no number of clicks, and counts at once.

const MILLISECONDS_OF_DOUBLE_TAP = 500;
const TAPPED = "#picture, #choices, #tools, #next, #menu";
let newSince = -Infinity; // when something has last come to a place that may have been tapped

function ignoreDoubleTaps() {
  newSince = performance.now();
}

function isDoubleTap(event) {
  const isSoon = performance.now() - newSince < MILLISECONDS_OF_DOUBLE_TAP;
  return event.detail > 0 && isSoon && shown.seat !== null && event.target.closest(TAPPED) !== null;
}

const beforeOthers = { capture: true };
document.addEventListener("click", (event) => {
  if (!isDoubleTap(event)) return;
  event.preventDefault();
  event.stopPropagation();
}, beforeOthers);

// The picture: every place that a choice belongs to can be clicked, or reached with Tab.

function showPicture(page) {
  const focused = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.spot : null;
  const parsed = new DOMParser().parseFromString(page.picture, "image/svg+xml");
  const picture = document.importNode(parsed.documentElement, true);
  picture.setAttribute("role", "group");
  picture.setAttribute("aria-label", `The table of ${page.game}`);
  picture.style.setProperty("--width", `${picture.getAttribute("width")}px`);
  picture.removeAttribute("width");
  picture.removeAttribute("height");
  const named = new Set();
  for (const place of picture.querySelectorAll("[data-spot]")) {
    const choices = choicesAt(place.dataset.spot);
    if (!choices.length) continue;
    place.classList.add("open");
    if (named.has(place.dataset.spot)) continue;
    named.add(place.dataset.spot);
    place.setAttribute("tabindex", "0");
    place.setAttribute("role", "button");
    place.setAttribute("aria-label", choices.map((choice) => choice.words).join(", or "));
  }
  element("picture").replaceChildren(picture);
  const again = focused && picture.querySelector(`[data-spot="${CSS.escape(focused)}"][tabindex]`);
  if (again) again.focus();
}

function choicesAt(spot) {
  return shown.choices.filter((choice) => choice.spot === spot);
}

function placesAround(target) {
  const places = [];
  for (let place = target.closest("[data-spot]"); place; place = place.parentElement.closest("[data-spot]")) {
    places.push(place);
  }
  return places;
}

function clickPlace(target) {
  if (!shown) return;
  setTyped("");
  const places = placesAround(target);
  const choices = places.flatMap((place) => choicesAt(place.dataset.spot));
  if (choices.length === 1) act(choices[0]);
  else if (choices.length) openMenu(choices);
  else explain(target, places.length > 0);
}

// What lies there, and, if it is something that one might play, why it cannot be chosen now.
function explain(target, isPlace) {
  const named = target.closest("g:has(> title)");
  const what = named ? `${named.querySelector(":scope > title").textContent}. ` : "";
  let why = "";
  if (isPlace && shown.is_over) why = "The game is over.";
  else if (isPlace && !shown.choices.length) why = "It is not your turn.";
  else if (isPlace) why = `That cannot be chosen now. ${whatCan(placesAround(target))}`;
  tell(what + why);
}

// What can be chosen of the same kind as these places: other regions, other cards; or else what is asked.
function whatCan(places) {
  const kindOf = (spot) => spot.split(" ")[0];
  const kinds = places.map((place) => kindOf(place.dataset.spot));
  const alike = shown.choices.filter((choice) => choice.spot && kinds.includes(kindOf(choice.spot)));
  if (!alike.length) return shown.question;
  const kept = alike.slice(0, MOST_NAMED);
  const more = alike.length > kept.length ? `; ${alike.length} choices in all` : "";
  return `You can choose: ${inFew(kept.map((choice) => choice.words))}${more}.`;
}

const MOST_NAMED = 16; // of the choices in such a sentence
const LAST_WORD = /^(.*?)(\S+)((?: \([^()]*\))?)$/; // before a remark in brackets

// Choices in a line; those that differ in their last word alone, together: "Move the plague to Germania, Italia".
function inFew(words) {
  const groups = new Map();
  for (const one of words) {
    const [, before, last, remark] = LAST_WORD.exec(one);
    const key = JSON.stringify([before, remark]);
    groups.set(key, [...(groups.get(key) || []), last]);
  }
  return [...groups].map(([key, lasts]) => {
    const [before, remark] = JSON.parse(key);
    const [final, ...others] = [...new Set(lasts)].reverse();
    return before + (others.length ? `${others.reverse().join(", ")} or ${final}` : final) + remark;
  }).join("; ");
}

element("picture").addEventListener("click", (event) => clickPlace(event.target));
element("picture").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" && event.key !== " ") return;
  if (event.key === "Enter" && typed) return; // the number is played, not the place that has the focus
  event.preventDefault();
  clickPlace(event.target);
});

// Choices in words, and by their numbers.

function choiceItem(choice) {
  const item = document.createElement("li");
  const button = document.createElement("button");
  const key = document.createElement("span");
  key.className = "key";
  key.textContent = choice.key;
  button.type = "button";
  button.dataset.action = choice.action;
  button.append(key, " ", choice.words);
  button.addEventListener("click", () => act(choice));
  item.append(button);
  return item;
}

let inMenu = []; // the choices of the menu, if it is open

function openMenu(choices) {
  inMenu = choices;
  element("menu-title").textContent = shown.question;
  element("menu-choices").replaceChildren(...choices.map(choiceItem));
  element("menu-told").textContent = "";
  element("menu").showModal();
  ignoreDoubleTaps();
}

function closeMenu() {
  if (element("menu").open) element("menu").close();
}

element("menu-close").addEventListener("click", closeMenu);
element("menu").addEventListener("close", () => {
  setTyped("");
  ignoreDoubleTaps();
});

document.addEventListener("keydown", (event) => {
  if (!shown || event.ctrlKey || event.metaKey || event.altKey) return;
  if (/^[0-9]$/.test(event.key)) setTyped(typed + event.key);
  else if (event.key === "Enter" && typed) {
    event.preventDefault(); // what has the focus is not pressed as well
    playTyped(typed);
  } else setTyped("");
});

// What Enter would play is announced for as long as it would: in the menu if that is open, which all else is behind.
function setTyped(digits) {
  const place = element(element("menu").open ? "menu-told" : "told");
  if (digits || typed) place.textContent = digits ? `Choice ${digits}: press Enter.` : "";
  if (typed && !digits) tellSoon(); // what had to wait
  typed = digits;
}

function playTyped(number) {
  const isInMenu = element("menu").open;
  const choice = (isInMenu ? inMenu : shown.choices).find((one) => one.key === number);
  setTyped("");
  if (choice) act(choice);
  else if (isInMenu) element("menu-told").textContent = `Choice ${number} is not one of these.`;
  else complain(`There is no choice ${number}.`);
}

// Speaking to the server.

const SECONDS_TO_ANSWER = 20;
const SECONDS_TO_THINK = 600; // of an agent, which may have to be loaded first
const OUT_OF_DATE = 409; // the status of an answer: the table is not, or no longer, as it is shown here

async function ask(what, seconds = SECONDS_TO_ANSWER, how = {}) {
  const stopped = new AbortController();
  const clock = setTimeout(() => stopped.abort(), 1000 * seconds);
  try {
    const answer = await fetch(`${seat}/${what}`, { ...how, signal: stopped.signal });
    return new Response(await answer.text(), { status: answer.status }); // all of it has come in time
  } finally {
    clearTimeout(clock);
  }
}

async function send(what, message, seconds) {
  const headers = { "Content-Type": "application/json" };
  const answer = await ask(what, seconds, { method: "POST", headers, body: JSON.stringify(message) });
  if (answer.ok) return answer.json();
  const why = await errorOf(answer);
  complain(why);
  if (answer.status === OUT_OF_DATE) listen(why);
  return {};
}

// The sentence of an answer that is an error; a proxy's has none.
async function errorOf(answer) {
  try {
    return (await answer.json()).error;
  } catch {
    return orKept(`The server cannot be reached (error ${answer.status}). Try again later.`);
  }
}

const SILENT = "The server does not answer: try again.";
const CROWDED = "The server does not answer: close other tabs of the table, if there are many, and try again.";

function whySilent(error) {
  return orKept(error.name === "AbortError" ? CROWDED : SILENT);
}

async function once(what, work) {
  if (underWay.has(what)) return;
  underWay.add(what);
  try {
    await work();
  } catch (error) {
    complain(whySilent(error));
  } finally {
    underWay.delete(what);
  }
}

// One move for each page: the next page may come before the answer to the move that has led to it.
function move(work) {
  return once(`move ${shown.view}`, work);
}

function act(choice) {
  closeMenu();
  setTyped("");
  const milliseconds = Math.round(performance.now() - askedSince);
  return move(() => send("act", { view: shown.view, action: choice.action, milliseconds }));
}

element("undo").addEventListener("click", () => {
  if (shown.no_undo) tell(shown.no_undo);
  else move(() => send("undo", { view: shown.view }));
});
element("again").addEventListener("click", () => move(playAgain));
element("rules").addEventListener("toggle", () => {
  if (element("rules").open) once("rules", showRules);
});
element("ask").addEventListener("click", () => once("hint", showHint));

async function playAgain() {
  const begun = await send("again", {}, SECONDS_TO_THINK);
  if (begun.next) location.assign(begun.next);
}

async function showRules() {
  const text = element("rules-text");
  try {
    const answer = await ask("rules");
    text.replaceChildren(...(answer.ok ? rulesIn(await answer.text()) : [await errorOf(answer)]));
  } catch (error) {
    text.textContent = whySilent(error);
  }
}

function rulesIn(words) {
  return [...new DOMParser().parseFromString(words, "text/html").body.childNodes];
}

async function showHint() {
  const view = shown.view;
  const place = element("hint");
  place.textContent = "Thinking …";
  try {
    const answer = await ask("hint", SECONDS_TO_THINK);
    const found = answer.ok ? hintTable(await answer.json()) : await errorOf(answer);
    if (answer.status === OUT_OF_DATE) listen();
    if (shown.view === view) place.replaceChildren(found);
  } catch (error) {
    if (shown.view === view) place.textContent = whySilent(error);
  }
}

// What the columns of a hint are.
const HINTED = ["choice", "how often", "return"];

function hintTable(hint) {
  const table = document.createElement("table");
  table.createCaption().textContent = `By ${hint.source}; expected return ${signed(hint.value)}`;
  const head = table.createTHead().insertRow();
  for (const name of HINTED.slice(0, hint.choices.some((choice) => choice.estimate !== null) ? 3 : 2)) {
    const column = document.createElement("th");
    column.scope = "col";
    column.textContent = name;
    head.append(column);
  }
  const body = table.createTBody();
  for (const choice of hint.choices) {
    const row = body.insertRow();
    const words = document.createElement("th");
    words.scope = "row";
    words.textContent = choice.words;
    row.append(words);
    row.insertCell().textContent = `${Math.round(100 * choice.probability)} %`;
    if (choice.estimate !== null) row.insertCell().textContent = signed(choice.estimate);
  }
  return table;
}

function signed(number) {
  return (number < 0 ? "−" : "+") + Math.abs(number).toFixed(2);
}

function complain(sentence) {
  element("problem").textContent = sentence || "";
}

listen();
