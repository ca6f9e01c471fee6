"""What was read can be told again."""

import hashlib
import inspect
import os
import pickle
from pathlib import Path

import pytest

import poolwise
from poolwise import read_runs
from poolwise.provenance._provenance import DEFAULT_SEED, Source

RUN = "1 Q0 a 1 1 mine\n"


def test_the_hash_is_that_of_the_file(tmp_path: Path) -> None:
    """It is what sha256sum prints, in this process or another."""
    path = tmp_path / "mine.run"
    path.write_text(RUN)
    source = read_runs(path).sources[0]
    expected = hashlib.sha256(RUN.encode()).hexdigest()
    assert pickle.loads(pickle.dumps(source)).sha256 == expected  # noqa: S301 -- our own bytes
    assert str(source) == f"{path} (sha256 {expected[:12]})"


def test_a_file_that_changed_has_no_hash(tmp_path: Path) -> None:
    """The hash of other bytes than those read is never given."""
    path = tmp_path / "mine.run"
    path.write_text(RUN)
    source = read_runs(path).sources[0]
    path.write_text(RUN.replace("mine", "ours"))
    os.utime(path, ns=(1, 1))
    assert source.sha256 == ""
    path.unlink()
    assert Source(str(path), stamp=(16, 1)).sha256 == ""


def test_what_is_no_file_has_no_hash() -> None:
    """A dict has no bytes on disk."""
    assert read_runs({"1": {"a": 1.0}}).sources[0].sha256 == ""


@pytest.mark.parametrize("room", ["collection", "scores", "findings", "studies", "workflows"])
def test_one_seed_for_all_functions(room: str) -> None:
    """A function that draws at random asks for a seed, or has the one that all have."""
    package = getattr(poolwise, room)
    functions = [f for name in package.__all__ if inspect.isfunction(f := getattr(package, name))]
    seeds = [p.default for f in functions if (p := inspect.signature(f).parameters.get("rng"))]
    # With None, a test that is randomized refuses to run, and asks for a seed.
    assert set(seeds) <= {DEFAULT_SEED, inspect.Parameter.empty, None}
