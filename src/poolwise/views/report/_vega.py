"""The script that draws the charts: Vega, Vega-Lite and vega-embed, as vl-convert bundles them.

To bundle takes two seconds, and gives the same 900 kB for one version of vl-convert; so the script
is kept in the user's folder of caches, one file per version.
"""

import gzip
import os
import sys
import zlib
from functools import cache
from pathlib import Path

from poolwise.errors import MissingExtraError, OutputError, ResourceError
from poolwise.provenance._files import make_folder, write_file

__all__ = ["cache_folder", "require_vega", "vega_bundle"]

_ADDRESS_SPACE = 80 << 30
"""Bytes of addresses that V8 reserves in vl-convert 1.9: 67 GB were measured."""


def require_vega() -> None:
    """Raise where the script of the charts cannot be had: say what to install, or why it fails.

    Examples
    --------
    >>> require_vega()
    """
    _require_address_space()
    try:
        import vl_convert  # noqa: F401, PLC0415 -- optional
    except ImportError as error:
        raise MissingExtraError("vl-convert", "report") from error


def _require_address_space() -> None:
    """Raise where the engine behind vl-convert could not start: it would end the process."""
    try:
        import resource  # noqa: PLC0415 -- not on every system
    except ImportError:
        return
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit < _ADDRESS_SPACE:
        raise ResourceError(
            f"the charts of the page take {_ADDRESS_SPACE >> 30} GB of addresses, though little "
            f"memory, and the limit is {limit / 2**30:.3g} GB. Hint: raise it (ulimit -v "
            "unlimited), or limit memory in another way."
        )


@cache
def vega_bundle() -> str:
    """Return Vega, Vega-Lite and vega-embed as one script, so that the page needs no network."""
    import vl_convert  # noqa: PLC0415 -- optional

    version = vl_convert.__version__  # type: ignore[attr-defined] # the stub lacks it
    kept = cache_folder() / f"vega-of-vl-convert-{version}.js.gz"
    # A page is HTML: the first end of a script, even in a string of it, would end the element.
    return (_read(kept) or _keep(kept, _made())).replace("</script", "<\\/script")


def cache_folder() -> Path:
    """Return where this system keeps what can be made again, with a folder of ours in it."""
    if folder := os.environ.get("XDG_CACHE_HOME"):
        return Path(folder) / "poolwise"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home()) / "poolwise" / "cache"
    usual = "Library/Caches" if sys.platform == "darwin" else ".cache"
    return Path(os.path.expanduser("~")) / usual / "poolwise"  # noqa: PTH111 -- Path.home() may raise


def _made() -> str:
    import vl_convert  # noqa: PLC0415 -- optional

    return str(vl_convert.javascript_bundle())  # type: ignore[call-arg] # the stub lacks the default


def _read(kept: Path) -> str | None:
    """Return what was kept; None where nothing was, or where its checksum is wrong."""
    try:
        return gzip.decompress(kept.read_bytes()).decode("utf-8")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError):
        return None


def _keep(kept: Path, bundle: str) -> str:
    """Return a bundle, kept for the next page where the folder can be written."""
    try:
        make_folder(kept.parent)
        # Without a time, so that one version gives one file, byte for byte.
        write_file(kept, gzip.compress(bundle.encode("utf-8"), mtime=0))
    except OutputError:
        pass  # A page without a cache takes two seconds more, and is the same.
    return bundle
