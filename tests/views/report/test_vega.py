"""The script of the charts: made once for a version, and the same wherever it comes from."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from poolwise.views.report import _vega as module
from poolwise.views.report._vega import cache_folder, vega_bundle

vl_convert = pytest.importorskip("vl_convert")


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Keep scripts in a fresh folder, make short ones, and count them."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    scripts: list[str] = []

    def bundle() -> str:
        scripts.append("draw('</script>')")
        return scripts[-1]

    monkeypatch.setattr(module, "_made", bundle)
    vega_bundle.cache_clear()
    yield scripts
    vega_bundle.cache_clear()


def _asked_anew() -> str:
    vega_bundle.cache_clear()
    return vega_bundle()


def test_a_script_is_made_once_for_all_processes(made: list[str]) -> None:
    """The second process reads what the first one kept, and the page is the same."""
    assert _asked_anew() == _asked_anew() == "draw('<\\/script>')"
    assert len(made) == 1


def test_another_version_has_a_script_of_its_own(
    made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A script that an older version made is never put on a page."""
    _asked_anew()
    monkeypatch.setattr(vl_convert, "__version__", "999")
    _asked_anew()
    assert len(made) == 2


@pytest.mark.parametrize("damage", [b"", b"draw()", None], ids=["empty", "no gzip", "cut off"])
def test_a_damaged_script_is_made_again(made: list[str], damage: bytes | None) -> None:
    """A file that was cut off or changed is replaced by a whole one."""
    whole = _asked_anew()
    (kept,) = cache_folder().iterdir()
    kept.write_bytes(kept.read_bytes()[:-9] if damage is None else damage)
    assert _asked_anew() == _asked_anew() == whole
    assert len(made) == 2


def test_without_a_folder_to_write_in_the_page_is_made_all_the_same(
    made: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cache saves time, and its lack is no error."""
    file = tmp_path / "file"
    file.write_bytes(b"")
    monkeypatch.setenv("XDG_CACHE_HOME", str(file))
    assert _asked_anew() == _asked_anew()
    assert len(made) == 2


def test_what_is_kept_is_what_vl_convert_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The script from the cache is that of the installed version, to the last byte."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    first = _asked_anew()
    (kept,) = cache_folder().iterdir()
    assert module._read(kept) == vl_convert.javascript_bundle()
    assert _asked_anew() == first
    vega_bundle.cache_clear()


@pytest.mark.parametrize(
    ("platform", "variable", "end"),
    [
        ("linux", "HOME", ".cache/poolwise"),
        ("darwin", "HOME", "Library/Caches/poolwise"),
        ("win32", "LOCALAPPDATA", "poolwise/cache"),
    ],
)
def test_each_system_has_its_usual_folder(
    platform: str, variable: str, end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nobody names a folder, it is the one in which the system's other caches are."""
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setenv(variable, str(tmp_path))
    assert cache_folder() == tmp_path / end
