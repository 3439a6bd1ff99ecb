"use strict";
// Shows the games that the page holds. Texts of records are only ever set as text; drawings are parsed as SVG.

const SVG = "http://www.w3.org/2000/svg";
const SEAT_COLOURS = ["#3a78c4", "#cc4a44", "#439150", "#8f5cb5", "#c8782a"];
const VALUE_COLOURS = ["#2f62a3", "#8f4a9c", "#3b7a45", "#a35a1c", "#5c5a54", "#1f7480"];
const at = (id) => document.getElementById(id);
const now = { game: 0, view: 0, frame: 0, timer: null };
let replay;

/** The data of the page: JSON, deflated, in base64. */
async function unpacked() {
  const bytes = Uint8Array.from(atob(at("data").textContent.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

/** A new element with a class and a text. */
function element(tag, text = "", kind = "") {
  const made = document.createElement(tag);
  made.textContent = text;
  if (kind) made.className = kind;
  return made;
}

function shape(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

const game = () => replay.games[now.game];
const view = () => game().views[now.view];
const frame = () => view().frames[now.frame];
const isLast = () => now.frame === view().frames.length - 1;
const percent = (share) => (share > 0 && share < 0.005 ? "<1%" : `${Math.round(100 * share)}%`);

// Drawings

function drawing(number, whose) {
  const text = replay.drawings[number].map((piece) => replay.pieces[piece]).join("");
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  if (parsed.namespaceURI !== SVG) return element("p", "This drawing is damaged.");
  const svg = document.importNode(parsed, true);
  svg.style.setProperty("--width", `${svg.getAttribute("width")}px`);
  svg.removeAttribute("width");
  svg.removeAttribute("height");
  svg.setAttribute("role", "group"); // of an image nobody is told what is in it
  svg.setAttribute("aria-label", `The table, ${whose}, step ${now.frame + 1}`);
  return svg;
}

function showDrawings() {
  const numbers = frame().drawings;
  const several = numbers.length > 1;
  at("drawings").className = several ? "several" : "one";
  const scrolled = at("drawings").querySelector("figure")?.scrollLeft ?? 0;
  at("drawings").replaceChildren(...numbers.map((number, seat) => {
    const figure = element("figure");
    const whose = several ? `as player_${seat} sees it` : `view: ${view().name}`;
    if (several) figure.append(element("figcaption", `player_${seat}`));
    figure.append(drawing(number, whose));
    return figure;
  }));
  const width = at("drawings").querySelector("svg")?.style.getPropertyValue("--width") ?? "0px";
  at("drawings").style.setProperty("--width", width);
  for (const figure of at("drawings").children) figure.scrollLeft = scrolled;
}

// Words

function showWords() {
  const { sentences, notation } = frame();
  const lines = sentences.map((sentence) => element("p", sentence));
  if (notation) lines.unshift(element("p", notation, "notation"));
  if (now.frame === 0 && !lines.length) lines.push(element("p", "The game begins."));
  if (isLast()) lines.push(...game().result.map((line) => element("p", line, "result")));
  at("words").replaceChildren(...lines);
  at("place").textContent = `step ${now.frame + 1} of ${view().frames.length}`;
}

function summary(one, number) {
  if (number === 0) return "The game begins";
  return one.sentences.join(" ") || one.notation || (one.decides ? "A decision." : "The game is over.");
}

function makeSteps() {
  at("steps").replaceChildren(...view().frames.map((one, number) => {
    const button = element("button");
    button.type = "button";
    button.append(element("span", `${number + 1}. ${summary(one, number)}`));
    if (one.decides) button.append(element("span", ` ● ${one.decides} decides`, "decides"));
    button.addEventListener("click", () => goTo(number));
    const item = element("li");
    item.append(button);
    return item;
  }));
}

function markStep() {
  const list = at("steps");
  list.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const item = list.children[now.frame];
  item.firstChild.setAttribute("aria-current", "step");
  const above = item.offsetTop - list.offsetTop;
  if (above < list.scrollTop || above + item.offsetHeight > list.scrollTop + list.clientHeight) {
    list.scrollTop = above - list.clientHeight / 2;
  }
}

// What an agent thinks

function row(words, share, isPlayed) {
  const bar = element("span", "", "bar");
  const full = element("i");
  full.style.width = `${100 * (share ?? 0)}%`;
  bar.append(full);
  return [
    element("span", isPlayed ? `${words} (played)` : words, isPlayed ? "played" : ""),
    bar,
    element("span", share === null ? "" : percent(share), "share"),
  ];
}

function showChoice() {
  const choice = frame().choice;
  at("choice").hidden = !choice;
  if (!choice) return;
  const expects = choice.value === null ? "" : `, which expects a return of ${choice.value.toFixed(2).replace("-", "−")}`;
  const bars = element("div", "", "bars");
  choice.options.forEach(([words, share], number) => bars.append(...row(words, share, number === choice.played)));
  const parts = [element("h2", `${frame().decides} in the eyes of ${replay.agent}${expects}`), bars];
  if (choice.would) parts.push(element("p", `It says no probabilities; it would choose: ${choice.would}.`));
  if (choice.more) parts.push(element("p", `And ${choice.more} more.`));
  at("choice").replaceChildren(...parts);
}

function showBeliefs() {
  const beliefs = frame().beliefs ?? [];
  at("beliefs").hidden = !beliefs.length;
  if (!beliefs.length) return;
  const parts = [element("h2", `What ${view().name} cannot see, in ${replay.samples} samples of what it could be`)];
  const colours = coloursOf(beliefs.flatMap(([, values]) => values.map(([value]) => `${value}`)));
  for (const [name, values] of beliefs) {
    const stack = element("span", "", "stack");
    for (const [value, share] of values) {
      const part = element("i", `${value}`);
      part.style.width = `${100 * share}%`;
      part.style.background = colours.get(`${value}`);
      part.title = `${value}: ${percent(share)}`;
      stack.append(part);
    }
    stack.setAttribute("aria-hidden", "true"); // the words below say the same
    const words = element("p");
    words.append(...values.map(([value, share]) => inLegend(`${value}: ${percent(share)}`, colours.get(`${value}`))));
    const line = element("div", "", "hidden-thing");
    line.append(element("span", name), stack, words);
    parts.push(line);
  }
  at("beliefs").replaceChildren(...parts);
  for (const part of at("beliefs").querySelectorAll(".stack > i")) {
    if (part.scrollWidth > part.clientWidth) part.textContent = ""; // the words below say it
  }
}

/** A colour for each thing that can be hidden, the same in every row. */
function coloursOf(values) {
  const more = (number) => `hsl(${(137.5 * number) % 360} 45% ${number % 2 ? 30 : 33}%)`; // where there are very many
  return new Map([...new Set(values)].sort().map((value, number) => [value, VALUE_COLOURS[number] ?? more(number)]));
}

/** A dot in a colour, and what it stands for. */
function inLegend(words, colour) {
  const label = element("span");
  const dot = element("i");
  dot.style.background = colour;
  label.append(dot, words);
  return label;
}

/** Under the slider: the value of each decision, or how likely the agent finds what was played. */
function makeCurve() {
  const frames = view().frames;
  const chosen = frames.flatMap((one, number) => (one.choice ? [[number, one]] : []));
  const isValue = chosen.some(([, one]) => one.choice.value !== null);
  const height = (choice) => (isValue ? choice.value : choice.options[choice.played]?.[1] ?? null);
  const points = chosen.filter(([, one]) => height(one.choice) !== null);
  at("curve").hidden = !points.length;
  if (!points.length) return;
  const least = isValue ? -1 : 0;
  const x = (number) => (1000 * number) / Math.max(1, frames.length - 1);
  const y = (share) => 95 - (90 * (share - least)) / (1 - least);
  const svg = shape("svg", { viewBox: "0 0 1000 100", preserveAspectRatio: "none", role: "img" });
  svg.setAttribute("aria-label", isValue ? "Value at each decision" : "Probability of what was played at each decision");
  for (const level of [least, (1 + least) / 2, 1]) {
    const style = { stroke: "currentColor", "stroke-opacity": 0.25, "vector-effect": "non-scaling-stroke" };
    svg.append(shape("line", { x1: 0, x2: 1000, y1: y(level), y2: y(level), ...style }));
  }
  const names = [...new Set(points.map(([, one]) => one.decides))].sort();
  const colourOf = (name) => SEAT_COLOURS[Number(name.slice(7)) % SEAT_COLOURS.length];
  for (const name of names) {
    const own = points.filter(([, one]) => one.decides === name);
    const colour = colourOf(name);
    const line = own.map(([number, one]) => `${x(number).toFixed(1)},${y(height(one.choice)).toFixed(1)}`);
    const style = { fill: "none", stroke: colour, "vector-effect": "non-scaling-stroke" };
    svg.append(shape("polyline", { points: line.join(" "), "stroke-width": 1.5, "stroke-opacity": 0.55, ...style }));
    for (const point of line) {  // a line without length and round ends is a dot that is not stretched
      const dot = { d: `M${point} l0.01,0`, "stroke-width": 7, "stroke-linecap": "round", ...style };
      svg.append(shape("path", dot));
    }
  }
  svg.append(shape("line", { id: "cursor", y1: 0, y2: 100, stroke: "currentColor", "vector-effect": "non-scaling-stroke" }));
  svg.addEventListener("click", (event) => {
    const box = svg.getBoundingClientRect();
    goTo(Math.round(((event.clientX - box.left) / box.width) * (frames.length - 1)));
  });
  at("plot").replaceChildren(svg);
  const said = isValue ? `Return that ${replay.agent} expects, −1 to 1:` : `How likely ${replay.agent} finds what was played, 0 to 100%:`;
  at("legend").replaceChildren(element("span", said), ...names.map((name) => inLegend(name, colourOf(name))));
}

function moveCursor() {
  const cursor = at("cursor");
  if (!cursor || at("curve").hidden) return;
  const place = (1000 * now.frame) / Math.max(1, view().frames.length - 1);
  cursor.setAttribute("x1", place);
  cursor.setAttribute("x2", place);
}

// Moving about

function show() {
  const slider = at("slider");
  slider.value = now.frame;
  slider.setAttribute("aria-valuetext", `step ${now.frame + 1}: ${summary(frame(), now.frame)}`);
  showDrawings();
  showWords();
  showChoice();
  showBeliefs();
  markStep();
  moveCursor();
  for (const id of ["first", "back"]) disable(at(id), now.frame === 0);
  for (const id of ["on", "last"]) disable(at(id), isLast());
  disable(at("decision"), decisionFrom(1) === undefined);
}

/** Mark a button that does nothing now. Disabled outright it would lose the keyboard's focus. */
function disable(button, isDisabled) {
  button.setAttribute("aria-disabled", isDisabled);
}

function goTo(number) {
  now.frame = Math.max(0, Math.min(view().frames.length - 1, number));
  show();
  if (isLast()) pause();
}

/** The next decision in a direction, or undefined. */
function decisionFrom(direction) {
  const { frames } = view();
  for (let number = now.frame + direction; number in frames; number += direction) {
    if (frames[number].decides) return number;
  }
  return undefined;
}

function goToDecision(direction) {
  const number = decisionFrom(direction);
  if (number !== undefined) goTo(number);
}

function pause() {
  clearInterval(now.timer);
  now.timer = null;
  at("play").textContent = "Play";
  at("play").setAttribute("aria-label", "Play");
}

function play() {
  if (isLast()) goTo(0);
  clearInterval(now.timer);
  now.timer = setInterval(() => goTo(now.frame + 1), Number(at("speed").value));
  at("play").textContent = "Pause";
  at("play").setAttribute("aria-label", "Pause");
}

const playOrPause = () => (now.timer === null ? play() : pause());

/** Show another view at the same moment, or the last one before it that this view shows. */
function chooseView(number) {
  const moment = frame().moment ?? 0;
  now.view = number;
  const later = view().frames.findIndex((one) => (one.moment ?? 0) > moment);
  now.frame = later < 0 ? view().frames.length - 1 : Math.max(0, later - 1);
  begin();
}

function makeViews() {
  const buttons = game().views.map((one, number) => {
    const button = element("button", one.name);
    button.type = "button";
    button.addEventListener("click", () => chooseView(number));
    return button;
  });
  at("views").replaceChildren(...buttons);
}

function begin() {
  [...at("views").children].forEach((button, number) => button.setAttribute("aria-pressed", number === now.view));
  at("slider").max = view().frames.length - 1;
  at("decision").hidden = !view().frames.some((one) => one.decides);
  makeSteps();
  makeCurve();
  show();
}

function chooseGame(number) {
  pause();
  Object.assign(now, { game: number, view: 0, frame: 0 });
  at("title").textContent = game().title;
  at("options").textContent = game().options;
  makeViews();
  begin();
}

const KEYS = {
  ArrowRight: () => goTo(now.frame + 1),
  ArrowLeft: () => goTo(now.frame - 1),
  Home: () => goTo(0),
  End: () => goTo(view().frames.length - 1),
  PageDown: () => goToDecision(1),
  PageUp: () => goToDecision(-1),
  " ": playOrPause,
};

function onKey(event) {
  const kind = event.target.tagName;
  const isOwn = kind === "SELECT" || (kind === "BUTTON" && event.key === " ");
  if (isOwn || event.ctrlKey || event.altKey || event.metaKey || !(event.key in KEYS)) return;
  event.preventDefault();
  KEYS[event.key]();
}

async function start() {
  replay = await unpacked();
  replay.games.forEach((one, number) => at("game").append(new Option(one.name, number)));
  at("chooser").hidden = replay.games.length < 2;
  at("game").addEventListener("change", (event) => chooseGame(Number(event.target.value)));
  at("slider").addEventListener("input", (event) => goTo(Number(event.target.value)));
  at("first").addEventListener("click", KEYS.Home);
  at("back").addEventListener("click", KEYS.ArrowLeft);
  at("on").addEventListener("click", KEYS.ArrowRight);
  at("last").addEventListener("click", KEYS.End);
  at("decision").addEventListener("click", KEYS.PageDown);
  at("play").addEventListener("click", playOrPause);
  at("speed").addEventListener("change", () => now.timer !== null && play());
  document.addEventListener("keydown", onKey);
  chooseGame(0);
  document.body.dataset.ready = "yes";
}

start().catch((error) => {
  at("words").textContent = `The replay cannot be shown: ${error.message}`;
  throw error;
});
