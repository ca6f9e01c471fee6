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

from poolwise.errors import OutputError
from poolwise.provenance._files import make_folder, write_file

__all__ = ["cache_folder", "vega_bundle"]


@cache
def vega_bundle() -> str:
    """Return Vega, Vega-Lite and vega-embed as one script, so that the page needs no network."""
    import vl_convert  # noqa: PLC0415 -- optional

    version = vl_convert.__version__  # type: ignore[attr-defined] # the stub lacks it
    kept = cache_folder() / f"vega-of-vl-convert-{version}.js.gz"
    return (_read(kept) or _keep(kept, _made())).replace("</script", "<\\/script")


def cache_folder() -> Path:
    """Return where this system keeps what can be made again, with a folder of ours in it."""
    if given := os.environ.get("XDG_CACHE_HOME"):
        return Path(given) / "poolwise"
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
        write_file(kept, gzip.compress(bundle.encode("utf-8"), mtime=0))
    except OutputError:
        pass  # A page without a cache takes two seconds more, and is the same.
    return bundle
