"""Bad labels, ledgers, records, baselines, factors and settings: one sentence each, no result."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.cli.conftest import BM25, DENSE, QRELS
from tests.cli.writers import lay_beside
from tests.hostile.bad_files import INPUT_ERROR
from tests.hostile.bad_inputs import BAD_INPUTS, GOOD, ROLES, BadInput

import poolwise as pw
from poolwise.cli.main import main
from poolwise.errors import PoolwiseError
from poolwise.findings import claims_from_json, claims_to_json
from poolwise.results._seals import sealed

TOGETHER = (
    "labels: ",
    "clusters: ",
    "by: ",
    "ms: ",
    "factors: ",
    "variants: ",
    "dates: ",
    "groups of runs: ",
    "ids: ",
)
"""What begins a sentence about files that are fine by themselves, and not with each other."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write good files, and go there."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").mkdir()
    texts = {"qrels.txt": QRELS, "runs/bm25.run": BM25, "runs/dense.run": DENSE, "copy.run": BM25}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    lay_beside(tmp_path)
    for name, raw in GOOD.items():
        (tmp_path / name).write_bytes(raw)
    return tmp_path


def seen(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("bad", BAD_INPUTS, ids=[bad.kind for bad in BAD_INPUTS])
def test_a_bad_input_gets_one_sentence(folder: Path, bad: BadInput) -> None:
    """It says where and how to mend it, with exit code 3; nothing is printed or written."""
    role = ROLES[bad.role]
    (folder / role.file).write_bytes(bad.raw)
    before = seen(folder)
    result = CliRunner().invoke(main, list(role.words))
    assert result.exit_code == INPUT_ERROR, result.output
    said = " ".join(result.stderr.split())
    _, _, error = said.partition("Error: ")
    assert "Hint: " in error
    assert "Traceback" not in said
    assert not result.stdout
    beside = [name for name in (*GOOD, "bm25.json") if name in error]
    assert Path(role.file).name in said or beside or error.startswith(TOGETHER)
    assert seen(folder) == before


def test_no_two_kinds_have_one_name_and_there_are_many_in_each_role() -> None:
    """With those of tests/hostile that are older, far more than 150 came since version 0.2."""
    kinds = [bad.kind for bad in BAD_INPUTS]
    assert len(set(kinds)) == len(kinds) >= 250
    assert {bad.role for bad in BAD_INPUTS} == set(ROLES)


# ---- what a result claims


def claims() -> dict[str, Any]:
    """Return what a result claims, as its file has it."""
    judged = {"1": {"a": 1, "b": 0}}
    table = pw.evaluate(judged, {"x": {"1": {"a": 2.0, "u": 1.0}}}, "P@2")["P@2"]
    content: dict[str, Any] = json.loads(claims_to_json(pw.findings.score_claims(table)))
    return content


def changed(*path: Any, to: Any) -> str:
    content = claims()
    place: Any = content
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = to
    return json.dumps(content)


CLAIMS = {
    "nothing": "",
    "half of it": json.dumps(claims())[:-9],
    "brackets without end": "[" * 100_000,
    "5,000 digits": '{"claims": ' + "9" * 5000 + "}",
    "a list": "[]",
    "a number": "5",
    "null": "null",
    "claims of a number": changed("claims", to=5),
    "claims of null": changed("claims", to=None),
    "a claim of a text": changed("claims", to=["ahead"]),
    "a claim without a relation": changed("claims", 0, to={"grounds": 0}),
    "an unknown relation": changed("claims", 0, "relation", to="beats"),
    "a relation of a list": changed("claims", 0, "relation", to=["ahead"]),
    "grounds that are not there": changed("claims", 0, "grounds", to=7),
    "grounds before the first": changed("claims", 0, "grounds", to=-1),
    "grounds of a text": changed("claims", 0, "grounds", to="0"),
    "grounds of a list": changed("claims", 0, "grounds", to=[0]),
    "grounds of null": changed("grounds", to=None),
    "grounds of numbers": changed("grounds", to=[5]),
    "grounds without files": changed("grounds", 0, "files", to=[]),
    "files of a text": changed("grounds", 0, "files", to="qrels"),
    "a file of a number": changed("grounds", 0, "files", to=[5]),
    "a measure that is none": changed("grounds", 0, "measure", to="Nope@3"),
    "a measure of a number": changed("grounds", 0, "measure", to=5),
    "systems of a number": changed("grounds", 0, "systems", to=5),
    "topics of null": changed("grounds", 0, "topics", to=None),
    "an unknown universe": changed("grounds", 0, "universe", to="all"),
    "a universe's depth of a text": changed("grounds", 0, "universe_depth", to="deep"),
    "grades of a number": changed("grounds", 0, "grades", to=5),
}


@pytest.mark.parametrize("kind", CLAIMS)
def test_claims_that_are_none_are_refused(kind: str) -> None:
    """Whatever stands there, it is our error with a way out, and never a claim."""
    with pytest.raises(PoolwiseError) as caught:
        claims_from_json(CLAIMS[kind])
    assert "Hint: " in str(caught.value) or str(caught.value).startswith("text: ")


WRITTEN = ("evaluate", "qrels.txt", "runs", "-m", "P@2", "-o", "result.json", "--quiet")
FORGED = {
    "a number": lambda content: content.update(claims=5),
    "an object": lambda content: content.update(claims={"a": 1}),
    "nothing": lambda content: content.update(claims=[]),
    "null in a list": lambda content: content.update(claims=[None]),
    "one less": lambda content: content["claims"].pop(),
    "one twice": lambda content: content["claims"].append(content["claims"][0]),
    "another end": lambda content: content["claims"][0].update(high=1.0),
    "another run": lambda content: content["claims"][0].update(subject="dense"),
    "another relation": lambda content: content["claims"][0].update(relation="ahead"),
    "grounds that are not there": lambda content: content["claims"][0].update(grounds=9),
    "grounds of another universe": lambda content: content["grounds"][0].update(universe="run"),
    "grounds of other topics": lambda content: content["grounds"][0].update(topics=["1"]),
    "no grounds": lambda content: content.update(grounds=[]),
    "grounds of null": lambda content: content.update(grounds=None),
}


@pytest.mark.parametrize("kind", FORGED)
def test_no_replay_calls_forged_claims_the_same(folder: Path, kind: str) -> None:
    """A result whose claims, or what they are about, was changed is not the same, sealed or not."""
    assert CliRunner().invoke(main, list(WRITTEN)).exit_code == 0
    content = json.loads((folder / "result.json").read_bytes())
    FORGED[kind](content)
    (folder / "result.json").write_bytes(sealed(json.dumps(content).encode()))
    result = CliRunner().invoke(main, ["replay", "result.json"])
    assert result.exit_code == 1, result.output
    assert "The claims are not the same." in " ".join(result.output.split())
