"""A Ray cluster, joined for as long as something is played on it."""

from __future__ import annotations

import socket
from types import ModuleType

from rat_envs.engine.errors import ConfigurationError, RatEnvsError, needing, reason_of, shown

__all__ = ["LOCAL", "demand_cores", "join_cluster", "said_by"]

#: The address of a cluster of this machine alone.
LOCAL = "local"


def join_cluster(address: str, what: str) -> tuple[ModuleType, bool]:
    """Ray, connected to a cluster, and whether that was done here: then ``ray.shutdown`` is to end it.

    Args:
        address: as ``ray.init`` takes it; ``local`` starts a cluster of this machine alone.
        what: what it is for, as in "Playing on a Ray cluster".

    Raises:
        MissingExtraError: Ray is not installed.
        RatEnvsError: no cluster answers there.
    """
    with needing(what, "ray"):
        import ray
    if ray.is_initialized():
        return ray, False
    try:
        _demand_answer(address)
        ray.init(address=address, log_to_driver=False)
    except (OSError, ValueError, RuntimeError) as error:  # a ConnectionError is an OSError
        raise RatEnvsError(f"No Ray cluster answers at {shown(address)} ({reason_of(error)}).") from None
    return ray, True


def demand_cores(ray: ModuleType, name: str, workers: int) -> None:
    """Refuse workers for which this machine has no core: they would be waited for without end.

    Args:
        ray: connected to a cluster of this machine alone.
        name: what says how many there are.
        workers: how many; each takes a core.

    Raises:
        ConfigurationError: there are more workers than cores.
    """
    cores = int(ray.cluster_resources().get("CPU", 0))
    if workers > cores:
        raise ConfigurationError(f"{name}={shown(workers)}: must be at most {cores}, the cores that Ray has here.")


def said_by(error: Exception) -> str:
    """What an error of Ray says, in one line."""
    lines = str(error).strip().splitlines()
    return reason_of(lines[-1]) if lines else type(error).__name__


def _demand_answer(address: str) -> None:
    """Of HOST:PORT something must answer; Ray itself would go on trying for many minutes."""
    host, _, port = address.rpartition(":")
    if host and port.isdecimal() and "://" not in host:
        socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
