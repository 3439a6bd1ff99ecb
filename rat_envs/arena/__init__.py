"""Who beats whom: agents play each other from every seat with the same chance, and the results have intervals.

- :func:`play_match`: one agent for every seat, in this process (``match``).
- :func:`play_on`: positions are played on with a choice or without it, to see what it is worth (``counterfactual``).
- :func:`play_tournament`: any number of agents by name, on all cores (``tournament``): what is to be played is a
  :class:`Plan` (``plan``, ``pairing``), split into jobs (``jobs``) that run here, in processes or on a cluster
  (``workers``), kept in a :class:`Folder` (``folder``, ``chunks``, ``roster``), written as records by :class:`Recorded`
  (``recorded``), and summed up in tables, ratings (``ratings``), alpha-rank
  (``alpha_rank``) and a picture (``heatmap``).
"""

from rat_envs.arena.counterfactual import Continued, Forgetful, gather, play_on
from rat_envs.arena.estimates import Estimate, mean_estimate, rate_estimate
from rat_envs.arena.folder import Folder, read_manifest
from rat_envs.arena.heatmap import heatmap as heatmap
from rat_envs.arena.match import play_match, play_opponents
from rat_envs.arena.plan import DEALS_AT_ONCE, Plan, make_plan
from rat_envs.arena.recorded import Recorded
from rat_envs.arena.results import AgentResult, MatchResult, SeatResult
from rat_envs.arena.tournament import TournamentResult, play_tournament, replay_tournament
from rat_envs.arena.workers import Spread, in_processes, in_this_process, on_ray

__all__ = [
    "DEALS_AT_ONCE",
    "AgentResult",
    "Continued",
    "Estimate",
    "Folder",
    "Forgetful",
    "MatchResult",
    "Plan",
    "Recorded",
    "SeatResult",
    "Spread",
    "TournamentResult",
    "gather",
    "heatmap",
    "in_processes",
    "in_this_process",
    "make_plan",
    "mean_estimate",
    "on_ray",
    "play_match",
    "play_on",
    "play_opponents",
    "play_tournament",
    "rate_estimate",
    "read_manifest",
    "replay_tournament",
]
