"""Records without numpy's detours, for what handles games row by row: quick attributes, calls and copies.

``np.record`` looks for an attribute of its own first, and for a field only when it has failed to find one. Here every
field is a property of a class that is made for its names. Compiled code sees the same records as before, and gets
them sooner: it asks for their ``data``, in which numpy would describe every field anew.
"""

from __future__ import annotations

import copyreg
import functools
from operator import itemgetter
from typing import Any

import numpy as np

__all__ = ["copied", "new_record", "with_attributes"]


class Kind(type):
    """The class of the classes of records, so that they are pickled by the names of their fields."""

    __names__: tuple[str, ...]


@functools.cache
def kind_of(names: tuple[str, ...]) -> Kind:
    """The class of records with fields of these names."""
    plain = {"__slots__": (), "__module__": "numpy", "__names__": names}  # it is printed as numpy's own
    as_void = {name: getattr(np.void, name) for name in ("__getattribute__", "__getitem__", "__setattr__")}
    quick = {"data": property(itself), "copy": copy_of}
    return Kind("record", (np.record,), {**plain, **as_void, **quick, **{name: field(name) for name in names}})


def field(name: str) -> property:
    """A field as an attribute, to be read and written."""

    def write(row: Any, value: Any) -> None:
        row[name] = value

    return property(itemgetter(name), write)


def itself(row: Any) -> Any:
    """What gives the bytes of a record, without a description of them."""
    return row


def copy_of(row: Any) -> Any:
    """A copy of a record."""
    return copied(row)[0]


copyreg.pickle(Kind, lambda kind: (kind_of, (kind.__names__,)))


def with_attributes(dtype: np.dtype) -> np.dtype:
    """The same fields at the same places, in records with quick attributes; so are the records in them."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return np.dtype((with_attributes(base), shape))
    if dtype.names is None or dtype.fields is None or isinstance(dtype.type, Kind):
        return dtype
    inner = [dtype.fields[name] for name in dtype.names]
    layout: Any = {
        "names": dtype.names,
        "formats": [with_attributes(one[0]) for one in inner],
        "offsets": [one[1] for one in inner],
        "itemsize": dtype.itemsize,
    }
    return np.dtype((kind_of(dtype.names), np.dtype(layout, align=dtype.isalignedstruct)))


#: Not for everything: to dtypes whether they are aligned makes no difference, to compiled code it does.
_known = functools.cache(with_attributes)


def new_record(dtype: np.dtype) -> Any:
    """A record full of zeros."""
    return np.zeros(1, _known(dtype))[0]


def copied(records: np.ndarray) -> np.ndarray:
    """A copy of one record or some, as bytes: numpy copies them field by field."""
    copies: np.ndarray = np.frombuffer(bytearray(records.tobytes()), records.dtype)
    return copies
