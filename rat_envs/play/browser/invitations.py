"""Links to seats that nobody has opened yet, for the page of the person who has opened the game."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Container, Mapping
from ipaddress import ip_address
from urllib.parse import urlsplit

__all__ = ["invitations", "qr_code"]


def qr_code(link: str) -> str:
    """A link as a QR code, the address of an image; empty if segno is not installed."""
    try:
        import segno
    except ImportError:
        return ""
    return str(segno.make(link, micro=False).svg_data_uri(scale=5, border=4, dark="black", light="white"))


def invitations(links: Mapping[str, str], seats: Mapping[str, int], opened: Container[str]) -> str:
    """The links that have not been opened, as JSON.

    Args:
        links: the links by token.
        seats: the seats by token.
        opened: the tokens that have been opened.
    """
    left = {token: link for token, link in links.items() if token not in opened}
    return json.dumps(
        {
            "links": [
                {"seat": seats[token], "link": link, "code": "" if is_near(link) else qr_code(link)}
                for token, link in left.items()
            ],
            "is_near": any(map(is_near, left.values())),
        }
    )


def is_near(link: str) -> bool:
    """Whether only this computer can open a link."""
    name = urlsplit(link).hostname or ""
    with contextlib.suppress(ValueError):
        return ip_address(name).is_loopback
    return name == "localhost"
