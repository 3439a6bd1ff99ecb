"""Who beats whom: agents play each other from every seat with the same chance, and the results have intervals.

- :func:`play_match`: one agent for every seat, in this process (``match``).
- :func:`play_tournament`: any number of agents by name, on all cores (``tournament``): what is to be played is a
  :class:`Plan` (``plan``, ``pairing``), split into jobs (``jobs``) that run here, in processes or on a cluster
  (``workers``), kept in a :class:`Folder` (``folder``), and summed up in tables, ratings (``ratings``), alpha-rank
  (``alpha_rank``) and a picture (``heatmap``).
"""

from agents.arena.estimates import Estimate, mean_estimate, rate_estimate
from agents.arena.folder import Folder, read_manifest
from agents.arena.heatmap import heatmap as heatmap
from agents.arena.match import play_match, play_opponents
from agents.arena.plan import DEALS_AT_ONCE, Plan, make_plan
from agents.arena.playing import settle
from agents.arena.results import AgentResult, MatchResult, SeatResult
from agents.arena.tournament import TournamentResult, play_tournament, replay_tournament
from agents.arena.workers import Spread, in_processes, in_this_process, on_ray

__all__ = [
    "DEALS_AT_ONCE",
    "AgentResult",
    "Estimate",
    "Folder",
    "MatchResult",
    "Plan",
    "SeatResult",
    "Spread",
    "TournamentResult",
    "heatmap",
    "in_processes",
    "in_this_process",
    "make_plan",
    "mean_estimate",
    "on_ray",
    "play_match",
    "play_opponents",
    "play_tournament",
    "rate_estimate",
    "read_manifest",
    "replay_tournament",
    "settle",
]
