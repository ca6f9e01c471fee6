"""Every bad file is refused in one sentence with a hint, by the command as by the API."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.each import over
from tests.hostile.bad_files import BAD_FILES, GOOD_QRELS, GOOD_RUN, INPUT_ERROR, BadFile

import poolwise as pw
from poolwise.cli.main import main
from poolwise.collection._groups import read_groups
from poolwise.errors import PoolwiseError
from poolwise.scores._score_matrix import read_score_matrix

pytestmark = pytest.mark.usefixtures("both_readers")

ids = [bad.kind for bad in BAD_FILES]


def good_files(tmp_path: Path) -> dict[str, str]:
    """Write good files for every role but that of the bad one."""
    for name, raw in (("run", GOOD_RUN), ("qrels", GOOD_QRELS)):
        (tmp_path / name).write_bytes(raw)
    return {role: str(tmp_path / role) for role in ("run", "qrels")}


def written(bad: BadFile, paths: dict[str, str]) -> dict[str, str]:
    path = Path(paths["run"]).with_name(bad.name)
    path.write_bytes(bad.raw)
    return paths | {bad.role: str(path)}


def by_api(bad: BadFile, paths: dict[str, str]) -> Any:
    if bad.role == "scores":
        return read_score_matrix(paths["scores"])
    if bad.role == "groups":
        return read_groups(paths["groups"])
    how = dict(bad.reading)
    chosen = {name: how.pop(name) for name in ("topics",) if name in how}
    return pw.evaluate(paths["qrels"], paths["run"], "AP", **chosen, reading=pw.Reading(**how))


OPTIONS = {"malformed": "--lenient", "max_ratio": "--max-ratio", "ties": "--ties"}


def arguments(bad: BadFile, paths: dict[str, str]) -> list[str]:
    if bad.role == "scores":
        return ["compare", "--scores", paths["scores"]]
    if bad.role == "groups":
        both = [paths["qrels"], paths["run"]]
        return ["study", "leave-out", *both, "--groups", paths["groups"]]
    words = ["evaluate", paths["qrels"], paths["run"], "-m", "AP"]
    for name, value in bad.reading:
        option = OPTIONS.get(name, f"--{name}")
        words += [option] if name == "malformed" else [option, str(value)]
    return words


def is_one_sentence(text: str) -> bool:
    return "Traceback" not in text and "Hint: " in text


@over("bad", BAD_FILES, ids=ids)
def test_a_bad_file_gets_its_sentence(bad: BadFile, tmp_path: Path) -> None:
    """The API raises it; the command prints the same and exits with the code of wrong input."""
    files = written(bad, good_files(tmp_path))
    with pytest.raises(PoolwiseError) as caught:
        by_api(bad, files)
    said = str(caught.value)
    assert bad.sentence in said
    assert is_one_sentence(said)
    result = CliRunner().invoke(main, arguments(bad, files))
    assert result.exit_code == INPUT_ERROR, result.output
    assert bad.sentence in " ".join(result.stderr.split())
    assert is_one_sentence(result.stderr)
    assert not result.stdout


def test_there_are_many_kinds_and_each_has_a_name_of_its_own() -> None:
    """The table is long, and no kind stands in it twice."""
    assert len(set(ids)) == len(ids) >= 120
