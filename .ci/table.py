"""The extra ``browser``: a table is opened, and a page is shown what its seat sees, compressed or not."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import urllib.request


def main() -> None:
    """Start a server in the working directory, ask it as a browser does, and stop it."""
    command = ["-m", "rat_envs", "play", "brave_rats", "--browser", "--no-open", "--port", "0", "--folder", "games"]
    with subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        found = re.match(r"player_0: (\S+)", server.stdout.readline())
        assert found, "the link is printed first"
        asked = urllib.request.Request(f"{found[1]}/events", headers={"Accept-Encoding": "gzip"})
        with urllib.request.urlopen(asked, timeout=60) as answer:
            line = answer.readline().decode()
        assert json.loads(line.removeprefix("data: "))["game"] == "BraveRats"
        server.send_signal(signal.SIGINT)
    print("      a table in the browser", flush=True)


if __name__ == "__main__":
    main()
