"""Where the real data is, for the tests that need it."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# Examples are not timed: the first call of a function may import scipy.
settings.register_profile("poolwise", deadline=None)
settings.load_profile("poolwise")

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Return the folder of real TREC data, or skip."""
    folder = Path(os.environ.get("POOLWISE_DATA", _BESIDE))
    if not folder.is_dir():
        pytest.skip(f"no data at {folder}: set POOLWISE_DATA to a folder that holds trec8/")
    return folder
