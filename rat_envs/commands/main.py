"""``rat-envs``: one module for each group of commands; errors a user can cause are one sentence and exit code 1."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Any

import typer

from rat_envs.commands import arena, best_response, exact, ladder, play, records, tables, train
from rat_envs.commands import bench as benchmark
from rat_envs.engine.errors import RatEnvsError

__all__ = ["app", "main"]

app = typer.Typer(
    name="rat-envs",
    help="Four rat-themed tabletop games as reinforcement-learning environments.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for module in (tables, records, play, exact, train, best_response, arena, ladder, benchmark):
    module.add_to(app)


def in_one_line(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
    """Show a warning to somebody who does not mind where in the code it comes from."""
    print(f"Warning: {message}", file=sys.stderr)


def main() -> None:
    """Run the command line. Exit codes: 0 done, 1 an error, 2 a command that cannot be understood."""
    warnings.showwarning = in_one_line
    try:
        app()
    except RatEnvsError as error:
        print(f"Error: {error}", file=sys.stderr)
        sys.exit(1)
    except UnicodeDecodeError as error:
        print(f"Error: the file is no text ({error.reason} at byte {error.start}).", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        sys.exit(1)
    except BrokenPipeError:  # the reader of our output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:  # no such file, a folder in place of a file, no permission
        print(f"Error: {error.strerror}: {error.filename}.", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
