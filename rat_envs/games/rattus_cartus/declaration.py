"""Rattus Cartus, declared once."""

from rat_envs.engine.files import read_text
from rat_envs.engine.game import Game, Rules
from rat_envs.games.rattus_cartus import VERSION, rules
from rat_envs.games.rattus_cartus.choices import offer
from rat_envs.games.rattus_cartus.components import SEATS, STATE
from rat_envs.games.rattus_cartus.configuration import RattusCartusConfiguration
from rat_envs.games.rattus_cartus.metrics import METRICS
from rat_envs.games.rattus_cartus.notation import ACTIONS, NODES, OUTCOMES, SEAT_ACTIONS
from rat_envs.games.rattus_cartus.observation import NOTES, OBSERVATION
from rat_envs.games.rattus_cartus.paragraphs import paragraphs
from rat_envs.games.rattus_cartus.possible import RANGES
from rat_envs.games.rattus_cartus.presets import PRESETS
from rat_envs.games.rattus_cartus.rendering import drawing, text
from rat_envs.games.rattus_cartus.settings import HEURISTICS, LADDER, TRAINING
from rat_envs.games.rattus_cartus.story import hidden_facts, sees

GAME = Game(
    name="rattus_cartus",
    title="Rattus Cartus",
    version=VERSION,
    compile_seconds=30,
    summary="Followers enter buildings for influence with six classes; a plague counts the rats at the end.",
    how_to_play=read_text(__package__, "how_to_play.md"),
    configuration=RattusCartusConfiguration,
    state=STATE,
    ranges=RANGES,
    observation=OBSERVATION,
    fixed_from="players",
    knowledge=("at_least", "at_most", "fresh", "row_most"),
    observation_notes=NOTES,
    actions=ACTIONS,
    outcomes=OUTCOMES,
    nodes=NODES,
    metrics=METRICS,
    seats=SEATS,
    seat_actions=SEAT_ACTIONS,
    rules=Rules.of(rules),
    text=text,
    paragraphs=paragraphs,
    drawing=drawing,
    sees=sees,
    hidden_facts=hidden_facts,
    offer=offer,
    shows_everything=True,
    presets=PRESETS,
    heuristics=HEURISTICS,
    training=TRAINING,
    ladder=LADDER,
)
