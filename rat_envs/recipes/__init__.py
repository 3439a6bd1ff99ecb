"""Recipes: short scripts in ``docs/recipes`` that learn a rat game with other people's libraries, run and measured."""

from rat_envs.recipes.recipe import Recipe, all_recipes
from rat_envs.recipes.results import RESULTS, load_results

__all__ = ["RESULTS", "Recipe", "all_recipes", "load_results"]
