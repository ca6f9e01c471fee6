"""Where the real data is, for the tests that need it, and the two readers of files."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from tests.skip_reasons import JOB, SkipReasons

from poolwise import native_loading
from poolwise.collection.files import _native

# Examples are not timed: the first call of a function may import scipy.
settings.register_profile("poolwise", deadline=None)
settings.load_profile("poolwise")

# ranx would compile for a quarter of a minute. Numba is to be told before it is imported, and any
# library may import it.
os.environ.setdefault("NUMBA_DISABLE_JIT", "1")


def pytest_configure(config: pytest.Config) -> None:
    """Look at why tests skip, where a job says which reasons it allows."""
    if os.environ.get(JOB):
        config.pluginmanager.register(SkipReasons())


_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Return the folder of real TREC data, or skip."""
    folder = Path(os.environ.get("POOLWISE_DATA", _BESIDE))
    if not folder.is_dir():
        pytest.skip(f"no data at {folder}: set POOLWISE_DATA to a folder that holds trec8/")
    return folder


@pytest.fixture(scope="module")
def native_reader() -> None:
    """Skip what only the native library does: reading by topics, and files past Python."""
    if not _native.is_native():
        pytest.skip("the native library was not built here, or is not to be used")


@pytest.fixture(scope="module", params=["1", "0"], ids=["native", "python"])
def both_readers(request: pytest.FixtureRequest) -> Iterator[None]:
    """Read with the native library, and once more with its twin in Python."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(native_loading.SWITCH, request.param)
        _native.library.cache_clear()
        if request.param == "1" and not _native.is_native():
            pytest.skip("no native library could be built here")
        yield
    _native.library.cache_clear()
