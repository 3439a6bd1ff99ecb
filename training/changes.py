"""The first layer of a network, computed from the inputs that have changed.

From one decision of a seat to its next, few of its inputs change: in Rattus some 15 of 800. So the sums of the first
layer are those of the decision before, plus the weights of what has changed. The gradient for a changed input is the
sum of the gradients of all later decisions in the chain. (Nasu 2018 has the first half of this for searches.)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch

from rat_envs.engine.compile import of_no_game
from rat_envs.engine.counts import add, fill
from rat_envs.engine.differences import list_different
from rat_envs.engine.rows import add_rows, add_to_rows, copy_row
from rat_envs.training.layers import activated, through

__all__ = ["LONGEST", "Chains", "Changes", "Inputs", "KeptSums", "Whole", "chains_of"]

#: The most decisions in a chain. They are learnt from together and have similar returns, so longer chains would make
#: gradients noisier. Shorter ones cost more: the first decision of each costs as much as several others.
LONGEST = 16
#: At first there is room for this many changes per decision; mostly there are fewer.
MANY_CHANGES = 64


class Inputs(Protocol):
    """The inputs of a network at n decisions."""

    def sums(self, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        """(n, H): the outputs of the first layer, in float32 or in the precision in which numbers are multiplied.

        Args:
            weight, bias: (H, F) and (H) float32.
        """

    def activated(self, weight: torch.Tensor, bias: torch.Tensor, activation: str) -> torch.Tensor:
        """(n, H): the outputs of the first layer with its activation, in the precision in which layers are computed."""

    def last(self, number: int) -> torch.Tensor:
        """(n, number) int8: the last numbers, which the first layer does not take."""


class Whole(NamedTuple):
    """Inputs at n decisions, all of which are multiplied: on a GPU, and where there are few inputs.

    Attributes:
        numbers: (n, F) the inputs of the first layer: int8, or in the precision in which they are multiplied.
        others: (n, ...) int8: what follows them.
        precision: the precision in which they are multiplied.
    """

    numbers: torch.Tensor
    others: torch.Tensor
    precision: torch.dtype

    @staticmethod
    def of(observations: np.ndarray, number: int, precision: torch.dtype, device: torch.device) -> Whole:
        """The inputs at n decisions.

        Args:
            observations: (n, F or more) int8.
            number: F.
            precision: the precision in which they are multiplied.
            device: where.
        """
        seen = torch.from_numpy(observations).to(device)
        numbers = seen[:, :number]
        if device.type == "cpu":  # converted once for all minibatches; a GPU has less memory, and converts fast
            numbers = numbers.to(precision)
        return Whole(numbers, seen[:, number:], precision)

    def part(self, chosen: Chosen) -> Whole:
        """The inputs at some of the decisions."""
        rows = torch.from_numpy(chosen.rows).to(self.numbers.device)
        return Whole(self.numbers.index_select(0, rows), self.others.index_select(0, rows), self.precision)

    def sums(self, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        """See :class:`Inputs`."""
        return self.activated(weight, bias, "")

    def activated(self, weight: torch.Tensor, bias: torch.Tensor, activation: str) -> torch.Tensor:
        """See :class:`Inputs`."""
        return through(self.numbers.to(self.precision), weight, bias, activation)

    def last(self, number: int) -> torch.Tensor:
        """See :class:`Inputs`."""
        return self.others[:, -number:]


class Chains(NamedTuple):
    """Decisions of a rollout in chains: each holds decisions that one seat made one after the other, in one game and in
    the next one in its place.

    Attributes:
        rows: (m) int64: decision t of game i is number t * n + i.
        begins: (k + 1) int64: where each chain begins, and where the last ends.
    """

    rows: np.ndarray
    begins: np.ndarray

    def parts(self, number: int) -> Iterator[Chosen]:
        """Split all decisions into ``number`` parts of equal size. A few decisions may be left out, and the decisions
        of one chain may be in several parts. Which chains are in which part is random; within a part they are in the
        order of memory, so that reading them takes less time."""
        each = len(self.rows) // number
        order = torch.randperm(len(self.begins) - 1).numpy()
        if len(order) == len(self.rows):
            parts = np.full(len(order), number)
            parts[order[: number * each]] = np.repeat(np.arange(number), each)
            for part in range(number):
                chains = np.flatnonzero(parts == part)
                yield Chosen(chains, 0, chains, self.rows[chains])
            return
        lengths = np.diff(self.begins)[order]
        ends = np.cumsum(lengths)
        for part in range(number):
            first, last = np.searchsorted(ends, [part * each, (part + 1) * each - 1], side="right")
            skipped = part * each - (ends[first] - lengths[first])
            order[first + 1 : last].sort()
            yield self.chosen(order[first : last + 1], int(skipped), each)

    def chosen(self, chains: np.ndarray, skipped: int, number: int) -> Chosen:
        """``number`` decisions of these chains, one chain after the other, without the first ``skipped``."""
        lengths = self.begins[chains + 1] - self.begins[chains]
        ahead = np.repeat(self.begins[chains] - np.cumsum(lengths) + lengths, lengths)
        numbers = (ahead + np.arange(len(ahead)))[skipped : skipped + number]
        return Chosen(chains, skipped, numbers, self.rows[numbers])


class Chosen(NamedTuple):
    """Decisions that are learnt from together.

    Attributes:
        chains: the chains that contain them.
        skipped: number of decisions of the first chain that are not among them.
        numbers: (n) int64: which of the decisions of all chains they are.
        rows: (n) int64: which of the rollout.
    """

    chains: np.ndarray
    skipped: int
    numbers: np.ndarray
    rows: np.ndarray


def chains_of(decisions: np.ndarray, actors: np.ndarray, longest: int) -> Chains:
    """All decisions to learn from, as chains.

    Args:
        decisions: (T, n) bool: which.
        actors: (T, n) int64: who made them.
        longest: the most decisions in a chain; 1 where longer chains gain nothing.
    """
    if longest == 1:
        rows = np.flatnonzero(decisions)
        return Chains(rows, np.arange(len(rows) + 1))
    t, games = np.nonzero(decisions)
    owners = games * (actors.max() + 1) + actors[t, games]
    order = owners.argsort(kind="stable")
    owners, numbers = owners[order], np.arange(len(order))
    new = np.ones(len(order), bool)
    new[1:] = owners[1:] != owners[:-1]
    first = np.maximum.accumulate(np.where(new, numbers, 0))
    begins = np.flatnonzero((numbers - first) % longest == 0)
    return Chains((t * decisions.shape[1] + games)[order], np.append(begins, len(order)))


class Changes:
    """The changes from each decision of a chain to the next; for the first, all inputs that are not 0.

    Args:
        chains: the decisions.
        observations: (N, F or more) int8 of all decisions of the rollout.
        number: F, the numbers that the first layer takes.
        precision: the precision in which the other layers are computed.
    """

    def __init__(self, chains: Chains, observations: np.ndarray, number: int, precision: torch.dtype) -> None:
        self.chains, self.observations, self.precision = chains, observations, precision
        self.ends = np.zeros(len(chains.rows) + 1, np.int64)
        room = len(chains.rows) * MANY_CHANGES
        self.places, self.amounts = np.empty(room, np.int32), np.empty(room, np.float32)
        chain = self.find(number, 0)
        while chain < len(chains.begins) - 1:
            more = 2 * (len(self.places) + (chains.begins[chain + 1] - chains.begins[chain]) * number)
            self.places, self.amounts = np.resize(self.places, more), np.resize(self.amounts, more)
            chain = self.find(number, chain)

    def find(self, number: int, first: int) -> int:
        """Find the changes of chains from ``first`` on; return the first chain that has no room, or the number of
        chains."""
        found: int = of_no_game(find_changes)(self.observations, number, *self.chains, first, *self.arrays()[1:])
        return found

    def arrays(self) -> tuple[np.ndarray, ...]:
        """The arrays as arguments of the compiled loops."""
        return self.chains.begins, self.ends, self.places, self.amounts

    def part(self, chosen: Chosen) -> Part:
        """The inputs at some of the decisions."""
        return Part(self, chosen)


class Part(NamedTuple):
    """Some chains of decisions as inputs of a network, with gradients of the weights."""

    changes: Changes
    chosen: Chosen

    def sums(self, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        """See :class:`Inputs`."""
        found: torch.Tensor = SumsOfChanges.apply(weight, bias, self.changes, self.chosen)
        return found

    def activated(self, weight: torch.Tensor, bias: torch.Tensor, activation: str) -> torch.Tensor:
        """See :class:`Inputs`."""
        return activated(self.sums(weight, bias), activation, self.changes.precision)

    def last(self, number: int) -> torch.Tensor:
        """See :class:`Inputs`."""
        return torch.from_numpy(self.changes.observations[self.chosen.rows, -number:])


class SumsOfChanges(torch.autograd.Function):
    """The first layer for some chains of decisions, by compiled loops."""

    @staticmethod
    def forward(ctx: Any, weight: torch.Tensor, bias: torch.Tensor, changes: Changes, chosen: Chosen) -> Any:
        """(n, H) sums."""
        found = torch.empty(len(chosen.rows), len(bias))
        arrays = (each.detach().numpy() for each in (weight.T.contiguous(), bias, found))
        of_no_game(sum_chains)(chosen.chains, chosen.skipped, *changes.arrays(), *arrays)
        ctx.kept = weight.shape, changes, chosen
        return found

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> Any:
        """The gradients of weights and biases."""
        shape, changes, chosen = ctx.kept
        of_weight, of_bias = torch.zeros(shape[::-1]), torch.zeros(shape[0])
        arrays = (each.numpy() for each in (gradients[0].contiguous(), of_weight, of_bias))
        of_no_game(gather_gradients)(chosen.chains, chosen.skipped, *changes.arrays(), *arrays)
        return of_weight.T, of_bias, None, None


class KeptSums:
    """The sums of the first layer for the last inputs of each seat, while games are played with one network.

    Args:
        games: n, how many.
        players: P, seats in each.
        number: F, the numbers that the first layer takes.
        precision: the precision in which the other layers are computed.
    """

    def __init__(self, games: int, players: int, number: int, precision: torch.dtype) -> None:
        self.precision = precision
        self.latest = np.full((games, players), -1)
        self.kept = np.zeros((games, players, 0), np.float32)
        self.room = np.zeros(number + 1, np.int32), np.zeros(number + 1, np.float32)

    def forget(self) -> None:
        """Forget all sums, for another network or another rollout."""
        self.latest[:] = -1

    def at(self, observations: np.ndarray, t: int, games: np.ndarray, seats: np.ndarray) -> Followed:
        """The inputs of seats at decision t of their games.

        Args:
            observations: (T, n, F or more) int8, of this decision and of those before.
            games, seats: (k).
        """
        return Followed(self, observations, t, games, seats)


class Followed(NamedTuple):
    """The inputs of seats at a decision of a rollout, without gradients; ask for its sums only once."""

    kept: KeptSums
    observations: np.ndarray
    t: int
    games: np.ndarray
    seats: np.ndarray

    def sums(self, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        """See :class:`Inputs`."""
        kept = self.kept
        if kept.kept.shape[2] != len(bias):
            kept.kept = np.zeros((*kept.latest.shape, len(bias)), np.float32)
        found = torch.empty(len(self.games), len(bias))
        arrays = (each.detach().numpy() for each in (weight.T.contiguous(), bias, found))
        whose = self.observations, self.t, self.games, self.seats
        of_no_game(go_on)(*whose, kept.latest, kept.kept, *kept.room, *arrays)
        return found

    def activated(self, weight: torch.Tensor, bias: torch.Tensor, activation: str) -> torch.Tensor:
        """See :class:`Inputs`."""
        return activated(self.sums(weight, bias), activation, self.kept.precision)

    def last(self, number: int) -> torch.Tensor:
        """See :class:`Inputs`."""
        return torch.from_numpy(self.observations[self.t, self.games, -number:])


def list_changes(now, before, places, amounts, end):
    """Write where two arrays of int8 differ and by how much, from ``end`` on; return the new end of the list.

    One entry behind the end may be overwritten.
    """
    first = end
    end = list_different(now, before, places, end)
    for k in range(first, end):
        amounts[k] = np.float32(np.int32(now[places[k]]) - np.int32(before[places[k]]))
    return end


def find_changes(observations, number, rows, begins, first, ends, places, amounts):
    """Write the changes of all decisions of the chains from ``first`` on, as long as there is room for the most that a
    chain may have. Return the first chain that has no room, or the number of chains.

    Args:
        observations, number: as for :class:`Changes`.
        rows, begins: as for :class:`Chains`.
        ends: ``ends[i + 1]``, to be written: where the changes of decision i end; ``ends[0]`` is 0.
        places, amounts: to be written.
    """
    nothing = np.zeros(number, np.int8)
    for chain in range(first, len(begins) - 1):
        if ends[begins[chain]] + (begins[chain + 1] - begins[chain]) * number >= len(places):
            return chain
        before = nothing
        for i in range(begins[chain], begins[chain + 1]):
            now = observations[rows[i]][:number]
            ends[i + 1] = list_changes(now, before, places, amounts, ends[i])
            before = now
    return len(begins) - 1


def sum_chains(chains, skipped, begins, ends, places, amounts, weight, bias, found):
    """Write the sums of the decisions of some chains, without the first ``skipped``, until ``found`` is full."""
    total = np.zeros(len(bias), np.float32)
    row = -skipped
    for chain in chains:
        copy_row(bias, total)
        for i in range(begins[chain], min(begins[chain + 1], begins[chain] + len(found) - row)):
            add_rows(total, weight, places, amounts, ends[i], ends[i + 1])
            if row >= 0:
                copy_row(total, found[row])
            row += 1


def gather_gradients(chains, skipped, begins, ends, places, amounts, of_sums, of_weight, of_bias):
    """Add up the gradients of weights and biases: a change counts for its decision and for all later ones."""
    total = np.zeros(len(of_bias), np.float32)
    row = -skipped
    for chain in chains:
        fill(total, 0)
        length = min(begins[chain + 1] - begins[chain], len(of_sums) - row)
        for back in range(length - 1, -1, -1):
            i = begins[chain] + back
            if row + back >= 0:
                add(total, of_sums[row + back])
            add_to_rows(total, of_weight, places, amounts, ends[i], ends[i + 1])
        row += length
        add(of_bias, total)


def go_on(observations, t, games, seats, latest, kept, places, amounts, weight, bias, found):
    """Update the kept sums of some seats to their inputs at decision t, and write them."""
    number = len(weight)
    nothing = np.zeros(number, np.int8)
    for i in range(len(games)):
        game, seat = games[i], seats[i]
        total = kept[game, seat]
        before = nothing
        if latest[game, seat] >= 0:
            before = observations[latest[game, seat], game][:number]
        else:
            copy_row(bias, total)
        end = list_changes(observations[t, game][:number], before, places, amounts, 0)
        add_rows(total, weight, places, amounts, 0, end)
        latest[game, seat] = t
        copy_row(total, found[i])
