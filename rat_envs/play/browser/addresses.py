"""Addresses: where the server listens, the names under which it answers, and its links."""

from __future__ import annotations

import contextlib
import re
import socket
from ipaddress import ip_address
from urllib.parse import urlsplit

from rat_envs.engine.errors import ConfigurationError, shown

__all__ = ["ANY", "DEFAULT_PORT", "LOOPBACK", "Names", "in_link", "listen", "network_address", "public_origin"]

LOOPBACK = "127.0.0.1"
DEFAULT_PORT = 8765
#: Addresses that stand for all of this computer's.
ANY = ("0.0.0.0", "::")
#: The form of a Host header: a name, or an address (IPv6 in brackets); and a port.
PLACE = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([\w.-]+))(?::\d{0,5})?")
#: Ports that an origin leaves out, by scheme.
USUAL_PORTS = {"http": 80, "https": 443}
#: Seconds without an acknowledgement of what was sent, after which a connection ends.
SECONDS_UNACKNOWLEDGED = 60


class Names:
    """The names under which a server answers, and the pages that may speak to it.

    Args:
        host: the address at which it listens; if that stands for all addresses of this computer, it answers under any
            name.
        public: the public address of a proxy, from :func:`public_origin`.
    """

    def __init__(self, host: str, public: str | None = None) -> None:
        self.public = public
        self._is_any = host in ANY
        places = [in_link(host), LOOPBACK, "localhost", *([urlsplit(public).netloc] if public else [])]
        self._names = {_name_in(place) for place in places}

    def has(self, place: str) -> bool:
        """Whether the server answers under the name in a Host header."""
        name = _name_in(place)
        return name is not None and (self._is_any or name in self._names)

    def is_own_page(self, origin: str, place: str) -> bool:
        """Whether a page of this origin comes from the server, which the page calls ``place``."""
        try:
            return origin == self.public or urlsplit(origin).netloc == place
        except ValueError:
            return False


def in_link(host: str) -> str:
    """A name or an address in the form that it has in a link."""
    return f"[{host}]" if ":" in host else host.lower()


def public_origin(url: str) -> str:
    """The origin of the public address of the server, without the parts that browsers leave out.

    Raises:
        ConfigurationError: it is not an origin, or has more parts than one.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    name = _name_in(parts.netloc)
    if parts.scheme not in USUAL_PORTS or name is None or parts.path not in ("", "/") or parts.query or parts.fragment:
        raise ConfigurationError(
            f"--public-url {shown(url)}: must be a scheme, a name and perhaps a port, as in https://games.example.org."
        )
    is_usual = port is None or port == USUAL_PORTS[parts.scheme]
    return f"{parts.scheme}://{in_link(name)}" + ("" if is_usual else f":{port}")


def listen(host: str, port: int, exactly: bool = False) -> socket.socket:
    """A socket at the address; at a free port if the usual one is taken.

    Args:
        host: the address.
        port: the port; 0 for any free one.
        exactly: whether the usual port must be free, too.

    Raises:
        ConfigurationError: the address cannot be used.
    """
    if not host:  # an empty name would mean all addresses
        raise ConfigurationError("host='': must be a name or an address, as 127.0.0.1.")
    for number in (port, 0) if port == DEFAULT_PORT and not exactly else (port,):
        try:
            listener = socket.create_server((host, number), family=_family(host))
            _set_up(listener)
            return listener
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or str(error)
    raise ConfigurationError(f"Nothing can listen at {shown(host)}, port {port}: {reason}.")


def _set_up(listener: socket.socket) -> None:
    """Set the options that connections inherit from the listening socket.

    Data are sent at once; otherwise the end of an answer would wait some 40 ms for the acknowledgement of its
    beginning. Connections to phones that have changed their network end soon; otherwise they would count as pages for a
    quarter of an hour.
    """
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with contextlib.suppress(AttributeError, OSError):  # only Linux has it, and not all that passes for Linux
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 1000 * SECONDS_UNACKNOWLEDGED)


def network_address(host: str) -> str:
    """This computer's address in its network, or else its name, to use in place of one that stands for all
    addresses."""
    far = "2001:db8::1" if ":" in host else "192.0.2.1"  # which nobody has
    try:
        with socket.socket(_family(host), socket.SOCK_DGRAM) as probe:
            probe.connect((far, 9))  # sends nothing; the system reports the address that it would use
            return str(probe.getsockname()[0])
    except OSError:
        return socket.gethostname()


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def _name_in(place: str) -> str | None:
    """The name or address in a Host header or a link, in one spelling; None if there is none."""
    found = PLACE.fullmatch(place)
    if found is None:
        return None
    name = found[1] or found[2]
    try:
        return str(ip_address(name))
    except ValueError:
        return None if found[1] else name.lower()
