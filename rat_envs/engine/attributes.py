"""Records without numpy's detours, for code that handles games row by row: fast attributes, calls and copies.

``np.record`` looks for an attribute of its own first, and for a field only when it has failed to find one. Here every
field is a property of a class that is made for these names. Compiled code sees the same records as before, and gets
them faster: it asks for their ``data``, in which numpy would describe every field each time.
"""

from __future__ import annotations

import copyreg
import functools
from operator import itemgetter
from typing import Any

import numpy as np

__all__ = ["copied", "new_record", "with_attributes"]


class Kind(type):
    """The metaclass of the classes of records, so that these are pickled by their field names."""

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
    """The record itself, which gives its bytes without a description of its fields."""
    return row


def copy_of(row: Any) -> Any:
    """A copy of a record."""
    return copied(row)[0]


copyreg.pickle(Kind, lambda kind: (kind_of, (kind.__names__,)))


def with_attributes(dtype: np.dtype) -> np.dtype:
    """The same dtype, with fast attributes for its records and for the records within them."""
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


#: Not for everything: dtypes that differ only in alignment are equal, but not to compiled code.
_known = functools.cache(with_attributes)


def new_record(dtype: np.dtype) -> Any:
    """A record of zeros."""
    return np.zeros(1, _known(dtype))[0]


def copied(records: np.ndarray) -> np.ndarray:
    """A copy of one or several records, made as bytes: numpy would copy them field by field."""
    copies: np.ndarray = np.frombuffer(bytearray(records.tobytes()), records.dtype)
    return copies
