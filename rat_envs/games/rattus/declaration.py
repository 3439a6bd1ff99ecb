"""Rattus, declared once."""

from rat_envs.engine.files import read_text
from rat_envs.engine.game import Game, Rules
from rat_envs.games.rattus import VERSION, rules
from rat_envs.games.rattus.choices import offer
from rat_envs.games.rattus.components import SEATS, STATE
from rat_envs.games.rattus.configuration import RattusConfiguration
from rat_envs.games.rattus.metrics import METRICS
from rat_envs.games.rattus.notation import ACTIONS, NODES, OUTCOMES
from rat_envs.games.rattus.observation import NOTES, OBSERVATION
from rat_envs.games.rattus.paragraphs import paragraphs
from rat_envs.games.rattus.possible import RANGES
from rat_envs.games.rattus.presets import PRESETS
from rat_envs.games.rattus.rendering import drawing, text
from rat_envs.games.rattus.settings import HEURISTICS, LADDER, TRAINING
from rat_envs.games.rattus.story import hidden_facts, open_facts, sees

GAME = Game(
    name="rattus",
    title="Rattus",
    version=VERSION,
    compile_seconds=15,
    summary="Settlers of Europe crowd where the rats are, and steer a plague that strikes those whose class turns up.",
    how_to_play=read_text(__package__, "how_to_play.md"),
    configuration=RattusConfiguration,
    state=STATE,
    ranges=RANGES,
    observation=OBSERVATION,
    fixed_from="tokens",
    observation_notes=NOTES,
    actions=ACTIONS,
    outcomes=OUTCOMES,
    nodes=NODES,
    metrics=METRICS,
    seats=SEATS,
    rules=Rules.of(rules),
    text=text,
    paragraphs=paragraphs,
    drawing=drawing,
    sees=sees,
    offer=offer,
    hidden_facts=hidden_facts,
    open_facts=open_facts,
    shows_everything=True,
    presets=PRESETS,
    heuristics=HEURISTICS,
    training=TRAINING,
    ladder=LADDER,
)
