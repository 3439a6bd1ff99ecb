"""Comme des Rats, declared once."""

from rat_envs.engine.files import read_text
from rat_envs.engine.game import Game, Rules
from rat_envs.games.comme_des_rats import VERSION, rules
from rat_envs.games.comme_des_rats.choices import offer
from rat_envs.games.comme_des_rats.components import STATE
from rat_envs.games.comme_des_rats.configuration import CommeDesRatsConfiguration
from rat_envs.games.comme_des_rats.metrics import METRICS
from rat_envs.games.comme_des_rats.notation import ACTIONS, NODES, OUTCOMES, SEAT_ACTIONS
from rat_envs.games.comme_des_rats.observation import NOTES, OBSERVATION
from rat_envs.games.comme_des_rats.paragraphs import paragraphs
from rat_envs.games.comme_des_rats.possible import RANGES
from rat_envs.games.comme_des_rats.presets import PRESETS
from rat_envs.games.comme_des_rats.rendering import drawing, text
from rat_envs.games.comme_des_rats.settings import HEURISTICS, LADDER, TRAINING
from rat_envs.games.comme_des_rats.story import asks_openly, hidden_facts, sees

GAME = Game(
    name="comme_des_rats",
    title="Comme des Rats",
    version=VERSION,
    compile_seconds=20,
    summary="Rats search piles for cheese with partners they cannot trust; promises bind nobody.",
    how_to_play=read_text(__package__, "how_to_play.md"),
    configuration=CommeDesRatsConfiguration,
    state=STATE,
    ranges=RANGES,
    observation=OBSERVATION,
    fixed_from="players",
    knowledge=("sure",),
    observation_notes=NOTES,
    actions=ACTIONS,
    outcomes=OUTCOMES,
    nodes=NODES,
    metrics=METRICS,
    seats=5,
    seat_actions=SEAT_ACTIONS,
    rules=Rules.of(rules),
    text=text,
    paragraphs=paragraphs,
    drawing=drawing,
    sees=sees,
    offer=offer,
    hidden_facts=hidden_facts,
    asks_openly=asks_openly,
    shows_everything=True,
    remembers=sees,
    presets=PRESETS,
    heuristics=HEURISTICS,
    training=TRAINING,
    ladder=LADDER,
)
