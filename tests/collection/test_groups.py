"""Groups files are read as they are, and what is wrong in them is named by line."""

import math
from collections import Counter
from pathlib import Path

import pytest
from tests.each import over

from poolwise.collection._groups import Groups, groups_by_name, read_groups
from poolwise.errors import InputError, OptionError


@pytest.mark.parametrize(
    "text",
    [
        "run\tgroup\na\tx\nb\ty\n",
        "Team\tyear\tSystem\r\nx\t1999\ta\r\n\r\ny\t\tb\r\n",
        "a x\nb   y\n",
        "\ufeffa\tx\nb\ty\na\tx",
    ],
)
def test_common_layouts_say_the_same(tmp_path: Path, text: str) -> None:
    """With headings in any order or without, between tabs or blanks, the groups are the same."""
    path = tmp_path / "groups.tsv"
    path.write_text(text, encoding="utf-8")
    assert read_groups(path) == Groups(("a", "b"), ("x", "y"))


@over(
    "text, message",
    [
        ("a x\nb\n", r"groups.tsv:2: a line must hold a run and its group; got 'b'"),
        ("run\tgroup\na\t\n", r"groups.tsv:2: a line must hold a run and its group; got 'a '"),
        ("a x\n\na y\n", r"groups.tsv:3: a run has one group, and 'a' is in 'x'.* got 'y'"),
        ("\n \n", r"groups.tsv: a groups file must name a run"),
        ("run\tgroup\n", r"groups.tsv: a groups file must name a run"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, text: str, message: str) -> None:
    """An error says path, line, rule, value and remedy."""
    path = tmp_path / "groups.tsv"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        read_groups(path)
    assert "Hint" in str(caught.value)


def test_kinds_are_not_groups(tmp_path: Path) -> None:
    """A column is read for what its heading says, and never one for the other."""
    path = tmp_path / "runs.tsv"
    path.write_text("run\tgroup\ttype\na\tx\tmanual\nb\ty\tautomatic\n")
    assert read_groups(path).labels == ("x", "y")
    assert read_groups(path, what="kind").labels == ("manual", "automatic")
    path.write_text("a manual\nb automatic\n")
    assert read_groups(path, what="kind").labels == ("manual", "automatic")
    for headings, what, other in (("run group", "kind", "group"), ("run type", "group", "kind")):
        path.write_text(f"{headings}\na x\n")
        message = rf"runs.tsv:1: the {what} of each run .* its {other} alone.*--{other}s"
        with pytest.raises(InputError, match=message):
            read_groups(path, what=what)


def test_a_file_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    """A missing file is an input error, not a traceback from the system."""
    with pytest.raises(InputError, match=r"none.tsv: .*No such file"):
        read_groups(tmp_path / "none.tsv")


def test_unknown_names_are_refused() -> None:
    """A run without a group and a group without runs are told apart."""
    groups = Groups.from_dict({"a": "x", "b": "y"})
    with pytest.raises(OptionError, match=r"groups: 'z' is not known\. Hint: use one of x, y"):
        groups.members("z")
    with pytest.raises(OptionError, match="groups of runs: 'c' is not known"):
        groups.select(["a", "c"])
    with pytest.raises(OptionError, match="groups of runs: 'x' is not known"):
        groups.of("x")


@pytest.mark.parametrize(("folder", "least"), [("trec8", 0.97), ("trec-dl-2019", 0.96)])
def test_names_tell_groups_nearly_as_well_as_those_who_submitted(
    data_dir: Path, folder: str, least: float
) -> None:
    """By the adjusted Rand index, groups by name are hardly other than the true ones."""
    groups = read_groups(data_dir / folder / "runs.tsv")
    submitted = [run for run in groups.systems if groups.of(run) != "post-hoc"]
    groups, by_name = groups.select(submitted), groups_by_name(submitted)
    assert adjusted_rand(groups.labels, by_name.labels) > least


def adjusted_rand(one: tuple[str, ...], other: tuple[str, ...]) -> float:
    """Return how far two partitions agree on pairs, beyond chance (Hubert and Arabie 1985)."""
    both, first, second = (
        sum(math.comb(size, 2) for size in Counter(labels).values())
        for labels in (zip(one, other, strict=True), one, other)
    )
    expected = first * second / math.comb(len(one), 2)
    return (both - expected) / ((first + second) / 2 - expected)


def test_names_without_letters_and_in_other_scripts_have_groups() -> None:
    """A number is a group of its own; letters are letters in every script, in either case."""
    names = ["12", "13", "Ωmega-1", "ωmega_2", "_x", ""]
    assert groups_by_name(names).labels == ("12", "13", "ωmega", "ωmega", "_x", "")
