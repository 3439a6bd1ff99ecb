"""BraveRats, declared once."""

from rat_envs.engine.files import read_text
from rat_envs.engine.game import Game, Rules
from rat_envs.games.brave_rats import VERSION, rules
from rat_envs.games.brave_rats.choices import offer
from rat_envs.games.brave_rats.components import STATE
from rat_envs.games.brave_rats.configuration import BraveRatsConfiguration
from rat_envs.games.brave_rats.last_round import remembers
from rat_envs.games.brave_rats.notation import ACTIONS, NODES, OUTCOMES
from rat_envs.games.brave_rats.observation import NOTES, OBSERVATION
from rat_envs.games.brave_rats.paragraphs import paragraphs
from rat_envs.games.brave_rats.possible import RANGES
from rat_envs.games.brave_rats.presets import PRESETS
from rat_envs.games.brave_rats.rendering import drawing, text
from rat_envs.games.brave_rats.settings import HEURISTICS, LADDER, TRAINING
from rat_envs.games.brave_rats.story import hidden_facts, sees

GAME = Game(
    name="brave_rats",
    title="BraveRats",
    version=VERSION,
    compile_seconds=5,
    summary="Two clans of eight cards reveal one each, at once; bluff, and out-guess the other.",
    how_to_play=read_text(__package__, "how_to_play.md"),
    configuration=BraveRatsConfiguration,
    state=STATE,
    ranges=RANGES,
    observation=OBSERVATION,
    fixed_from="hands",
    observation_notes=NOTES,
    actions=ACTIONS,
    outcomes=OUTCOMES,
    nodes=NODES,
    seats=2,
    rules=Rules.of(rules),
    text=text,
    paragraphs=paragraphs,
    drawing=drawing,
    sees=sees,
    offer=offer,
    hidden_facts=hidden_facts,
    shows_everything=True,
    has_draws=True,
    remembers=remembers,
    presets=PRESETS,
    heuristics=HEURISTICS,
    training=TRAINING,
    ladder=LADDER,
)
