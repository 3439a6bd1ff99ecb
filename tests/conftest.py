"""Lets the tests import what they share: the list of games and configurations."""

import gc
import os
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Threads that wait for work let others have the core: tests run in as many processes as there are cores.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("OMP_NUM_THREADS", "1")

# A slow machine is no fault of what is tested.
settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")

sys.path.insert(0, str(Path(__file__).parent / "common"))
pytest.register_assert_rewrite("refereed")


def pytest_collection_finish():
    """What has been imported and collected stays: the garbage collector need not go through it again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def usual_signals():
    """Ctrl-C, SIGTERM and the like do here, and in processes that are started, what they usually do: a shell in the
    background and nohup have them ignored."""
    from rat_envs.engine.interrupts import SENT

    usual = {signal.SIGINT: signal.default_int_handler, **dict.fromkeys(SENT, signal.SIG_DFL)}
    before = {number: signal.signal(number, handler) for number, handler in usual.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


#: What a browser is started with where it may be root, has no screen and is not to ask the network for anything.
CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]


@pytest.fixture(scope="session")
def browser():
    """Chromium, driven by Playwright; skips where one of them is not installed."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        pytest.skip("No Playwright: pip install playwright.")
    if not Path(CHROMIUM).exists():
        pytest.skip(f"No {CHROMIUM}: apt-get install chromium.")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield started
        started.close()


@pytest.fixture(scope="module")
def browser_with_large_words(browser):
    """Chromium as somebody has set it who wants words twice as large as usual."""
    arguments = [*ARGUMENTS, "--blink-settings=defaultFontSize=32"]
    started = browser.browser_type.launch(executable_path=CHROMIUM, args=arguments)
    yield started
    started.close()
