"""Whoever watches is told how far a job is; nobody need watch."""

from pathlib import Path
from typing import Any

import pytest

import poolwise as pw
from poolwise.results._progress import counting, has_listener, progress_to, report_progress

Told = list[tuple[str, int, int]]


def watch(call: Any, *args: Any, **options: Any) -> Told:
    """Return what is told while a function runs."""
    messages: Told = []
    with progress_to(lambda *news: messages.append(news)):
        call(*args, **options)
    return messages


def counted(messages: Told, what: str) -> list[tuple[int, int]]:
    """Return the numbers that were told of one thing."""
    return [(done, total) for name, done, total in messages if name == what]


def test_nobody_need_watch() -> None:
    """Counting is going through, and telling does nothing."""
    assert not has_listener()
    report_progress("files read", 1, 2)
    assert list(counting("ab", "letters")) == ["a", "b"]


def test_the_last_word_is_that_all_are_done() -> None:
    """Also where there are none, or where the items do not know their number."""
    assert watch(lambda: list(counting([], "none"))) == [("none", 0, 0)]
    assert watch(lambda: list(counting(iter("ab"), "letters", 2)))[-1] == ("letters", 2, 2)


def test_who_goes_no_further_is_done() -> None:
    """No bar stays where an error, or enough, ends a loop."""
    assert watch(lambda: next(counting("abc", "letters")))[-1] == ("letters", 3, 3)


def test_a_watcher_inside_of_another_takes_its_place() -> None:
    """And leaves it when its block ends."""
    outer: Told = []
    with progress_to(lambda *news: outer.append(news)):
        assert watch(report_progress, "x", 0, 1) == [("x", 0, 1)]
        report_progress("y", 0, 1)
    assert outer == [("y", 0, 1)]
    assert not has_listener()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write twenty runs and their judgments."""
    folder = tmp_path_factory.mktemp("collection")
    made = pw.simulate(systems=20, topics=6, depth=20, rng=1)
    (folder / "runs").mkdir()
    for system in made.runs.systems:
        pw.collection.write_run(made.runs, system, folder / "runs" / f"{system}.run")
    pw.collection.write_judgments(made.judgments, folder / "qrels")
    return folder


@pytest.mark.usefixtures("both_readers")
@pytest.mark.parametrize("stream", [True, False])
def test_files_read_are_counted_to_the_end(files: Path, *, stream: bool) -> None:
    """Whichever way they are read."""
    if stream and not pw.collection.files._native.is_native():
        pytest.skip("files are read by topics by the native library")
    messages = watch(pw.evaluate, files / "qrels", files / "runs", "P@5", stream=stream)
    counts = counted(messages, "files looked through" if stream else "files read")
    assert counts[-1] == (20, 20)
    assert (0, 20) in counts
    assert counted(messages, "topics scored")[-1] == (6, 6)


def test_what_takes_long_is_counted(files: Path) -> None:
    """Draws, ranges of pairs, groups that are left out of the model, treatments, topics."""
    both = files / "qrels", files / "runs"
    compared = watch(pw.compare, *both, "P@5", draws=5)
    assert counted(compared, "draws compared")[-1] == (5, 5)
    assert counted(compared, "blocks of topics compared")[-1] == (1, 1)
    resampled = watch(pw.compare, *both, "P@5", draws=0, test="bootstrap", resamples=1200)
    assert counted(resampled, "batches of resamples")[-1] == (3, 3)
    alike = watch(pw.similarity, files / "runs")
    assert counted(alike, "topics compared")[-1] == (6, 6)
    estimated = watch(pw.estimate, *both, "P@5", treatments=["model", "condensed"])
    assert counted(estimated, "treatments tried")[-1] == (2, 2)
    assert counted(estimated, "topics drawn")[-1] == (6, 6)


def test_watching_changes_no_number(files: Path) -> None:
    """Randomized tests and draws are the same, and so is what is read."""
    both, how = (files / "qrels", files / "runs"), {"test": "bootstrap", "draws": 3}
    columns: list[Any] = []
    watch(lambda: columns.append(pw.compare(*both, "P@5", **how).columns()))
    assert str(columns[0]) == str(pw.compare(*both, "P@5", **how).columns())


def test_a_caller_who_asks_is_called_instead(files: Path) -> None:
    """The progress option of a function goes before whoever watches."""
    called: list[tuple[int, int]] = []
    both = files / "qrels", files / "runs"
    messages = watch(pw.evaluate, *both, "P@5", progress=lambda *news: called.append(news))
    assert called[-1] == (6, 6)
    assert not counted(messages, "topics scored")


def test_long_studies_tell_how_far_they_are() -> None:
    """Similarities of degraded rankings, and curves fitted to topics, are counted to the end."""
    messages = watch(pw.studies.degrade_rankings, rng=1, repeats=2)
    assert counted(messages, "similarities computed")[-1] == (9, 9)
    made = pw.simulate(systems=4, topics=5, depth=20, rng=1)
    messages = watch(pw.studies.fit_gain_curves, pw.align(made.judgments, made.runs))
    assert counted(messages, "topics fitted")[-1] == (5, 5)
