"""Where a server is reached: by which names, and from which pages."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from poolwise.errors import OptionError

__all__ = ["Address"]

_LOCAL = ("127.0.0.1", "localhost", "[::1]")
_EVERYWHERE = ("0.0.0.0", "::", "")  # noqa: S104 -- named so that it can be warned of
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Address:
    """Where a server listens, and what it is called from outside.

    Attributes
    ----------
    host : str
        The address of the machine that is listened at.
    port : int
    public_url : str
        What people open where a proxy stands before the server; empty without one.

    Examples
    --------
    >>> here = Address("127.0.0.1", 8765)
    >>> here.url, sorted(here.hosts), here.warnings()
    ('http://127.0.0.1:8765/', ['127.0.0.1:8765', '[::1]:8765', 'localhost:8765'], ())
    >>> Address("0.0.0.0", 80)
    Traceback (most recent call last):
        ...
    poolwise.errors.OptionError: host: 0.0.0.0 is every address of this machine, and the server must
        know which one people open. Hint: add --public-url, such as http://192.168.1.5:80/.
    >>> there = Address("127.0.0.1", 8765, "https://judge.example.org/dl19")
    >>> there.url, there.path, there.is_secure, sorted(there.origins)
    ('https://judge.example.org/dl19/', '/dl19/', True, ['https://judge.example.org'])
    """

    host: str
    port: int
    public_url: str = ""

    def __post_init__(self) -> None:
        if not self.public_url:
            self._require_name()
            return
        parts = urlsplit(self.public_url)
        if parts.scheme not in _PORTS or not parts.hostname or parts.query or parts.fragment:
            raise OptionError(
                "public_url: must be an address of http or https without ? and #; got "
                f"{self.public_url!r}. Hint: use https://judge.example.org/."
            )

    def _require_name(self) -> None:
        """Ask what the server is called where it listens at every address of the machine.

        It answers to its own name alone, or any site could speak for it by a DNS of its own.
        """
        if self.host in _EVERYWHERE:
            raise OptionError(
                f"host: {self.host} is every address of this machine, and the server must know "
                "which one people open. Hint: add --public-url, such as "
                f"http://192.168.1.5:{self.port}/."
            )

    @property
    def url(self) -> str:
        """What people open; it ends with a slash."""
        if self.public_url:
            return self.public_url.rstrip("/") + "/"
        return f"http://{self._written_host}:{self.port}/"

    @property
    def path(self) -> str:
        """The path of that address, which cookies are for."""
        return urlsplit(self.url).path

    @property
    def is_secure(self) -> bool:
        """Whether people reach it by https alone."""
        return self.url.startswith("https:")

    @property
    def _written_host(self) -> str:
        return f"[{self.host}]" if ":" in self.host else self.host

    @property
    def hosts(self) -> frozenset[str]:
        """What a request may call the server: no name that somebody else's DNS points here.

        Behind a proxy the proxy's names are taken, and no others: one that does not pass the name
        on is reached by the address that the server listens at.
        """
        if self.public_url:
            parts = urlsplit(self.public_url)
            return frozenset({parts.netloc.rpartition("@")[2].lower(), self._own})
        names = {self._own}
        if self.host in ("127.0.0.1", "localhost", "::1"):
            names |= {f"{name}:{self.port}" for name in _LOCAL}
        return frozenset(names)

    @property
    def _own(self) -> str:
        return f"{self._written_host}:{self.port}".lower()

    @property
    def origins(self) -> frozenset[str]:
        """From which pages something may be asked: the server's own."""
        if self.public_url:
            parts = urlsplit(self.public_url)
            return frozenset({f"{parts.scheme}://{parts.netloc.rpartition('@')[2].lower()}"})
        return frozenset(f"http://{host}" for host in self.hosts)

    def link(self, token: str) -> str:
        """Return a personal link; the token stands where no browser sends it to anybody."""
        return f"{self.url}enter#{token}"

    def warnings(self) -> tuple[str, ...]:
        """Say what is open to others."""
        if self.host in (*_LOCAL, "::1"):
            return ()
        if not self.is_secure:
            warning = (
                f"the server listens at {self.host}: everybody who reaches this machine reaches "
                "it, and links and grades travel unencrypted. Put a proxy with https before it, "
                "and name its address with --public-url."
            )
            return (warning,)
        return (f"the server listens at {self.host}, not at this machine alone.",)
