"""Options of learners as a command line gives them; what a command says of wrong ones is in test_commands.py."""

from __future__ import annotations

import dataclasses

import pytest

pytest.importorskip("sb3_contrib")

from rat_envs.engine.errors import ConfigurationError
from rat_envs.training.maskable_ppo import MaskablePPOOptions
from rat_envs.training.recommended import LEARNERS, options_of, recommended_options
from rat_envs.training.settings import list_settings, parse_settings


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_option_is_listed_with_its_default_and_what_it_is(learner):
    listed = list_settings(LEARNERS[learner])
    assert {"threads", "evaluations", "hidden"} < {name for name, _, _ in listed}
    for name, _, text in listed:
        assert text.endswith(".") and "  " not in text and "`" not in text, name
        assert len(text.split()) > 1, name


def test_values_become_what_the_options_are():
    texts = ["hidden=[8,16]", 'opponents={"random":1}', "discount=1", "scaled=true", "activation=tanh", "epochs=2"]
    settings = parse_settings(MaskablePPOOptions, texts)
    expected = {
        "hidden": (8, 16),
        "opponents": {"random": 1.0},
        "discount": 1.0,
        "scaled": True,
        "activation": "tanh",
        "epochs": 2,
    }
    assert settings == expected
    assert [type(value) for value in settings.values()] == [type(value) for value in expected.values()]
    MaskablePPOOptions(**settings, latest_share=0.0)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("epoch=2", "no option 'epoch': did you mean 'epochs'"),
        ("zzz=2", "no option 'zzz': --list-options"),
        ("epochs=true", "epochs=True: must be a whole number"),
        ("scaled=1", "scaled=1: must be true or false"),
        ("hidden=[8,0.5]", "must be a list of whole numbers in JSON"),
        ("opponents=[1]", "must be numbers by name, an object in JSON"),
        ("activation=1", "activation=1: must be a text"),
        ("learning_rate=fast", "learning_rate='fast': must be a number"),
        ("folder=there", "--set folder: it has an argument of its own"),
        ("epochs", "--set epochs: write NAME=VALUE, as in --set learning_rate=0.001."),
        ("random_weight=1", "The learner maskable_ppo has no option 'random_weight': it is one of lookahead."),
    ],
)
def test_wrong_ones_are_refused_in_a_sentence(text, reason):
    with pytest.raises(ConfigurationError) as error:
        parse_settings(MaskablePPOOptions, [text])
    assert reason in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("learner", "texts"),
    [
        *(("maskable_ppo", text) for text in ("clip_range=-1", "gae_lambda=7", "discount=5", "entropy_coefficient=-1")),
        *(("ppo", text) for text in ("clip_range=-1", "gae_lambda=7", "random_moves=5000000000")),
    ],
)
def test_what_is_out_of_range_is_refused_in_a_sentence(learner, texts):
    kind = options_of(learner)
    with pytest.raises(ConfigurationError, match=rf"^{texts.partition('=')[0]}=.*: must be ") as error:
        kind(game="brave_rats", **parse_settings(kind, [texts]))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("learner", ["ppo", "search"])
def test_a_run_that_begins_with_a_policy_imitates_nobody_unless_asked_to(learner):
    usual = recommended_options(learner, "rattus_cartus")
    begun = recommended_options(learner, "rattus_cartus", begin_with="saved.safetensors")
    assert begun == dataclasses.replace(usual, begin_with="saved.safetensors", teacher_steps=0)
    said = recommended_options(learner, "rattus_cartus", begin_with="saved.safetensors", teacher_steps=7)
    assert said.teacher_steps == 7
    taught = recommended_options(learner, "rattus_cartus", begin_with="saved.safetensors", teacher="greedy")
    assert taught.teacher_steps == usual.teacher_steps
