"""Which form of an environment each library takes, and where it finds the mask: a table for the page of recipes."""

from __future__ import annotations

from rat_envs.describe import markdown_table

__all__ = ["FORMS"]

HEADINGS = ("library", "form", "`flat`", "where it finds the mask", "what to know")
ROWS = (
    (
        "AgileRL, one agent",
        "`make_vec`",
        "as it is",
        '`infos["action_mask"]`',
        "",
    ),
    (
        "AgileRL, many agents",
        "`make_parallel`",
        "`True`",
        "`infos`, by agent",
        "MADDPG takes the masks as they are. IPPO fails on masks that are arrays (`ippo.py:466` of 2.58): make lists",
    ),
    (
        "BenchMARL",
        "`make_parallel`",
        "`True`",
        '`("player", "action_mask")`',
        "A task of your own, with TorchRL's `PettingZooWrapper`. Observations and state are int8: let "
        "`get_env_transforms` give `[DTypeCastTransform(torch.int8, torch.float32, "
        'in_keys=[("player", "observation"), "state"])]`; '
        "`supersuit.dtype_v0` does not cast the state",
    ),
    (
        "RLlib",
        "gymnasium",
        "`False`",
        "a part of the observation",
        "Its module for masks wants these parts by other names",
    ),
    (
        "Shimmy",
        "OpenSpiel",
        "none",
        '`infos["action_mask"]`',
        '`OpenSpielCompatibilityV0(game_name="python_rat_rattus", config={"players": 2})`. With '
        "`env=pyspiel.load_game(…)` the game's parameters are lost at `reset`",
    ),
    (
        "Stable-Baselines3",
        "gymnasium, or `RatVecEnv`",
        "as it is",
        "`action_masks()`",
        '`PPO` knows no masks: `illegal="random"` or `"lose"`',
    ),
    (
        "SuperSuit",
        "`make`, `make_parallel`",
        "`True`",
        "`infos`",
        "`black_death` takes `make_parallel` only. `sticky_actions` and `frame_skip` repeat an action that may be "
        "illegal by then, and so do not fit. `sample()` of a wrapper's action space may be illegal",
    ),
    (
        "Tianshou",
        "`make`",
        "`False`",
        "`mask` of its observation",
        "With `flat=True`, its `PettingZooEnv` takes every action for legal",
    ),
    (
        "TorchRL, one agent",
        "`GymEnv`",
        "`False`",
        '`"action_mask"`',
        "`MaskedCategorical` for policies",
    ),
    (
        "TorchRL, many agents",
        "`make_parallel`, `make`",
        "`True`",
        '`("player", "action_mask")`',
        '`PettingZooWrapper` nests dicts: with `flat=False` keys are `("player", "observation", "observation")`, and '
        '`illegal="random"` or `"lose"` fail in TorchRL (`pettingzoo.py:582` of 0.14.1). Policies mask by '
        "`MaskedCategorical`. TorchRL's random policy plays illegal actions where the environment is in a "
        '`TransformedEnv` or a `Collector`: `illegal="random"` helps in both, '
        '`ActionMask(action_key=("player", "action"), mask_key=("player", "action_mask"))` in `rollout`',
    ),
)
#: A section of Markdown.
FORMS = f"""
## Which form for which library

`make` is PettingZoo's AEC environment; `make_parallel` is the parallel one, whose last action is `wait`. `flat` says
whether observations are the vector alone (`True`) or a dict with the mask. All of this was tried with the versions in
the table above, with BenchMARL 1.5.2 and Shimmy 2.0.1.

{markdown_table(HEADINGS, ROWS)}
"""
