"""``python -m rat_envs`` is ``rat-envs``."""

from rat_envs.commands.main import main

if __name__ == "__main__":
    main()
