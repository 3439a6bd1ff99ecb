"""What can happen to a file of ours, whether it is JSON or an archive of arrays, by name."""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np
from damage import damaged

Accident = Callable[[bytes, np.random.Generator], bytes]


class Touch:
    """What, if it was ever unpickled, would fail the test that wrote it."""

    def __reduce__(self):
        return exec, ("raise SystemExit('a pickle was loaded')",)


def zip_bomb(names: tuple[str, ...] = ("header.npy",), size: int = 2**28) -> bytes:
    """A small zip file that says it holds much."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, b"\0" * 10_000)
    return out.getvalue().replace((10_000).to_bytes(4, "little"), size.to_bytes(4, "little"))


def many_members() -> bytes:
    """A zip file with more members than anybody lists."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for number in range(2000):
            archive.writestr(str(number), b"")
    return out.getvalue()


#: Of values in JSON, what can stand where something else should.
ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**31, 2**63, 2**64, -(2**63) - 1, 10**99, 10**30, 0.5, -0.0, 1e300, 1e-300),
    *("", "x", "x" * 10_000, "a\nb", "a\0b", "\u2028", "../../etc/passwd", "NaN", "🐀" * 300, "1", "%s{0}"),
    *([], {}, [[]], [None], [1, 2, 3], ["x"] * 1000, {"x": 1}, {"": None}, {"x" * 10_000: 1}, [[[[[[[[]]]]]]]]),
)


def places_of(value: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to every value within a value of JSON, itself included; of long lists only to the first and the last."""
    found = [place]
    if isinstance(value, dict):
        for name, part in value.items():
            found += places_of(part, (*place, name))
    elif isinstance(value, list):
        for number in sorted({*range(min(len(value), 3)), max(0, len(value) - 1)}) if value else ():
            found += places_of(value[number], (*place, number))
    return found


def odd_value(value: Any, random: np.random.Generator) -> Any:
    """A value of JSON with a part of another type, or missing, or renamed."""
    places = places_of(value)
    place = places[int(random.integers(len(places)))]
    odd = ODD[int(random.integers(len(ODD)))]
    if not place:
        return odd
    whole = json.loads(json.dumps(value))
    inner = whole
    for step in place[:-1]:
        inner = inner[step]
    what = int(random.integers(6))
    if what == 0:
        del inner[place[-1]]
    elif what == 1 and isinstance(inner, dict):
        inner["x" * 300] = inner.pop(place[-1])
    elif what == 2 and isinstance(inner, list):
        inner.append(odd)
    else:
        inner[place[-1]] = odd
    return whole


def raw_value(content: str, value: Any, raw: str, random: np.random.Generator) -> str:
    """The text of JSON with ``raw`` in place of one of its values."""
    places = [place for place in places_of(value) if place]
    mark = "8f3b4a"
    whole = json.loads(json.dumps(value))
    if not places:
        return raw
    place = places[int(random.integers(len(places)))]
    inner = whole
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = mark
    return json.dumps(whole).replace(json.dumps(mark), raw)


def in_json(change: Callable[[str, Any, np.random.Generator], str]) -> Accident:
    """An accident to the JSON of a file, in an archive to the header or to the outline, whose hash is made to fit."""

    def happen(content: bytes, random: np.random.Generator) -> bytes:
        try:
            text = content.decode()
            return change(text, json.loads(text), random).encode("utf-8", "surrogatepass")
        except ValueError:
            is_archive = int.from_bytes(content[:8], "little") < len(content)
            return _in_archive(change, content, random) if is_archive else damaged(content, random)

    return happen


def _in_archive(
    change: Callable[[str, Any, np.random.Generator], str], content: bytes, random: np.random.Generator
) -> bytes:
    length = int.from_bytes(content[:8], "little")
    outline, numbers = json.loads(content[8 : 8 + length]), content[8 + length :]
    if random.random() < 0.3:
        text = change(json.dumps(outline), outline, random)
    else:
        header = json.loads(outline["__metadata__"]["header"])
        header.pop("sha256")
        changed = change(json.dumps(header), header, random)
        outline["__metadata__"]["header"] = with_hash(changed, outline, numbers)
        text = json.dumps(outline)
    encoded = text.encode("utf-8", "surrogatepass")
    return len(encoded).to_bytes(8, "little") + encoded + numbers


def with_hash(header: str, outline: dict[str, Any], numbers: bytes) -> str:
    """The header with the hash that the file should have, so that nothing but what it says is wrong."""
    from safetensors.numpy import load

    from rat_envs.engine.archive import HASH, hash_of

    plain = json.dumps(outline).encode()
    arrays = load(len(plain).to_bytes(8, "little") + plain + numbers)
    try:
        value = json.loads(header)
        return json.dumps({**value, HASH: hash_of(value, arrays)})
    except (ValueError, TypeError, RecursionError):
        return header


def odd_number_of_array(content: bytes, random: np.random.Generator) -> bytes:
    """An archive in which numbers of one array are others, and the hash is right."""
    length = int.from_bytes(content[:8], "little")
    try:
        outline = json.loads(content[8 : 8 + length])
    except ValueError:
        return damaged(content, random)
    numbers = bytearray(content[8 + length :])
    arrays = [array for name, array in outline.items() if name != "__metadata__"]
    start, end = arrays[int(random.integers(len(arrays)))]["data_offsets"]
    noise = (random.bytes(end - start), b"\xff" * (end - start), b"\0" * (end - start))[int(random.integers(3))]
    numbers[start:end] = noise
    header = json.loads(outline["__metadata__"]["header"])
    header.pop("sha256")
    outline["__metadata__"]["header"] = with_hash(json.dumps(header), outline, bytes(numbers))
    text = json.dumps(outline).encode()
    return len(text).to_bytes(8, "little") + text + bytes(numbers)


def with_bytes(content: bytes, inserted: bytes, random: np.random.Generator) -> bytes:
    """Bytes inserted somewhere."""
    place = int(random.integers(len(content) + 1))
    return content[:place] + inserted + content[place:]


def huge_outline(content: bytes, random: np.random.Generator) -> bytes:
    """An archive whose outline, or an array in it, claims to be huge."""
    if random.random() < 0.5:
        return (2 ** int(random.integers(24, 64))).to_bytes(8, "little") + content[8:]
    array = {"dtype": "F32", "shape": [2**40, 2**20], "data_offsets": [0, 2**62]}
    text = json.dumps({"x": array, "__metadata__": {"header": "{}"}}).encode()
    return len(text).to_bytes(8, "little") + text


ACCIDENTS: dict[str, Accident] = {
    "random damage": damaged,
    "another value": in_json(lambda text, value, random: json.dumps(odd_value(value, random))),
    "another value again": in_json(lambda text, value, random: json.dumps(odd_value(odd_value(value, random), random))),
    "cut off": lambda content, random: content[: int(random.integers(len(content)))],
    "other numbers": odd_number_of_array,
    "nested lists": in_json(lambda text, value, random: raw_value(text, value, "[" * 100_000 + "]" * 100_000, random)),
    "nested objects": in_json(
        lambda text, value, random: raw_value(text, value, '{"a":' * 100_000 + "1" + "}" * 100_000, random)
    ),
    "900 deep": in_json(lambda text, value, random: raw_value(text, value, "[" * 900 + "]" * 900, random)),
    "long number": in_json(lambda text, value, random: raw_value(text, value, "9" * 5_000, random)),
    "long fraction": in_json(lambda text, value, random: raw_value(text, value, "0." + "9" * 5_000, random)),
    "infinite number": in_json(lambda text, value, random: raw_value(text, value, "1e999", random)),
    "no number": in_json(lambda text, value, random: raw_value(text, value, "NaN", random)),
    "infinity": in_json(lambda text, value, random: raw_value(text, value, "-Infinity", random)),
    "half a letter": in_json(lambda text, value, random: raw_value(text, value, '"\\ud800"', random)),
    "a name twice": in_json(lambda text, value, random: raw_value(text, value, '{"a": 1, "a": 2}', random)),
    "zero bytes": lambda content, random: with_bytes(content, bytes(8), random),
    "no UTF-8": lambda content, random: with_bytes(content, b"\xff\xfe\xc0", random),
    "a mark of the byte order": lambda content, random: b"\xef\xbb\xbf" + content,
    "UTF-16": lambda content, random: content.decode("latin-1").encode("utf-16"),
    "empty": lambda content, random: b"",
    "noise": lambda content, random: random.bytes(int(random.integers(1, 5000))),
    "huge sizes": huge_outline,
    "a pickle": lambda content, random: pickle.dumps(Touch()),
    "a zip bomb": lambda content, random: zip_bomb(),
    "a zip bomb of others": lambda content, random: zip_bomb(("_stable_baselines3_version", "data", "policy.pth")),
    "many members": lambda content, random: many_members(),
    "a damaged zip file": lambda content, random: damaged(zip_bomb(), random),
}


def spoilt(accident: str, content: bytes, random: np.random.Generator) -> bytes:
    """The content after the accident of that name."""
    return ACCIDENTS[accident](content, random)
