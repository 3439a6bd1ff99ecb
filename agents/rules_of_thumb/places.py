"""Where an observation has a player whom an action names."""

from rat_envs.engine.compile import out_of_line
from rat_envs.engine.seats import clockwise

__all__ = ["place_of"]


@out_of_line
def place_of(observation, number):
    """The place of player ``number``: actions name players by their numbers, observations count from the observer."""
    own = 0
    players = 2
    for seat in range(len(observation.seat)):
        if observation.seat[seat]:
            own = seat
    for count in range(len(observation.players)):
        if observation.players[count]:
            players = count + 2
    return clockwise(own, number, players)
