"""A journal on disk: what it writes, and what it refuses."""

import json
from pathlib import Path

import numpy as np
import pytest

import poolwise as pw
from poolwise.errors import InputError, OptionError, OutputError
from poolwise.results._records import digest
from poolwise.store._journal_file import _canonical


def table(topics: int, *, wide: float = 1.0, systems: str = "ab") -> pw.ScoreTable:
    """Return scores of two systems on so many topics, the same on those they share."""
    rng = np.random.default_rng(1)
    scores = rng.normal(0, 0.13, (200, 2)).T * wide + np.array([[0.55], [0.5]])
    return pw.ScoreTable.from_matrix(
        scores[:, :topics], systems=systems, topics=[str(i) for i in range(topics)], measure="AP"
    )


@pytest.fixture
def mine(tmp_path: Path) -> pw.workflows.Journal:
    """Return a journal with a plan: 10 topics first."""
    journal = pw.journal(tmp_path / "a.journal")
    assert journal.start(delta=0.1, sigma=0.1, measure="AP").planned == 10
    return journal


def test_an_entry_that_another_process_added_is_not_lost(mine: pw.workflows.Journal) -> None:
    """Of two that read the same journal one can add to it: the other is told, and adds nothing."""
    before = mine.file.entries()
    mine.step(table(10))
    whole = mine.file.path.read_bytes()
    with pytest.raises(OutputError, match="another entry was added to the journal meanwhile"):
        mine.file.append(before, {"entry": "round"})
    assert mine.file.path.read_bytes() == whole


def test_an_experiment_goes_round_by_round_to_its_test(mine: pw.workflows.Journal) -> None:
    """The rounds are those that the deviation asks for, and the test comes once, at the end."""
    first = mine.step(table(10))
    assert first.judged == 10
    assert first.planned == pw.findings.topic_plan_step(first.sigma, judged=10, delta=0.1).total
    done = mine.step(table(first.planned))
    while not done.is_done:
        done = mine.step(table(done.planned))
    result = mine.finish()
    assert result.topics == done.judged
    assert result.rounds == done.round
    plain = pw.compare_scores(table(result.topics), test="t").pvalue[0]
    assert result.pvalue_plain == pytest.approx(plain)
    assert result.pvalue > result.pvalue_plain
    assert result.columns() == mine.finish().columns() == mine.show().columns()
    paragraph = result.paragraph()
    for words in ("0.1 in AP", "10 topics", f"{result.topics} topics in", result.seal[:16]):
        assert words in paragraph


def test_a_test_too_early_is_an_error(mine: pw.workflows.Journal) -> None:
    """Neither the plan nor a round short of power allows a test."""
    with pytest.raises(OptionError, match="too early: 0 of 10"):
        mine.finish()
    planned = mine.step(table(10)).planned
    with pytest.raises(OptionError, match=f"too early: 10 of {planned}"):
        mine.finish()


def test_a_round_is_neither_cut_short_nor_skipped(mine: pw.workflows.Journal) -> None:
    """A round has exactly the topics that were planned."""
    with pytest.raises(OptionError, match="cut short"):
        mine.step(table(9))
    with pytest.raises(OptionError, match="must not be skipped"):
        mine.step(table(11))
    assert mine.show().round == 0


def test_scores_of_earlier_rounds_stay(mine: pw.workflows.Journal) -> None:
    """A topic of an earlier round with another score, or other systems, are errors."""
    planned = mine.step(table(10)).planned
    with pytest.raises(OptionError, match="in the round before"):
        mine.step(table(planned, wide=1.01))
    with pytest.raises(OptionError, match="about a and b"):
        mine.step(table(planned, systems="ac"))


def test_another_measure_or_three_systems_are_refused(mine: pw.workflows.Journal) -> None:
    """The journal is about two systems and one measure."""
    other = pw.ScoreTable.from_matrix(np.eye(2, 10), systems="ab", topics="0123456789",
                                      measure="P@5")  # fmt: skip
    with pytest.raises(OptionError, match="is about AP"):
        mine.step(other)
    three = pw.ScoreTable.from_matrix(np.eye(3, 10), systems="abc", topics="0123456789",
                                      measure="AP")  # fmt: skip
    with pytest.raises(OptionError, match="two systems"):
        mine.step(three)


def test_a_finished_journal_is_closed(mine: pw.workflows.Journal) -> None:
    """After the last round no topic is added, and after the result nothing is."""
    status = mine.step(table(10))
    while not status.is_done:
        status = mine.step(table(status.planned))
    with pytest.raises(OptionError, match="last round was reached"):
        mine.step(table(status.judged + 5))
    mine.finish()
    with pytest.raises(OptionError, match="finished"):
        mine.step(table(status.judged + 5))


def test_a_journal_is_not_begun_again(mine: pw.workflows.Journal) -> None:
    """A second start would be a second plan."""
    with pytest.raises(OutputError, match="never begun anew"):
        mine.start(delta=0.2, sigma=0.1, measure="AP")


def test_every_changed_byte_is_an_error(mine: pw.workflows.Journal) -> None:
    """Whatever letter of a journal is changed, it is not read again."""
    mine.step(table(10))
    whole = mine.file.path.read_bytes()
    for at in range(0, len(whole) - 1, 7):
        mine.file.path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        with pytest.raises(InputError):
            mine.show()
    mine.file.path.write_bytes(whole)
    assert mine.show().round == 1


def _rehashed(path: Path, change: dict[str, object], line: int) -> None:
    """Change an entry and hash it, and all after it, as if it had been written so."""
    entries = [json.loads(text) for text in path.read_text(encoding="utf-8").splitlines()]
    entries[line] |= change
    previous = ""
    for entry in entries:
        entry["previous"] = previous
        del entry["sha256"]
        previous = entry["sha256"] = digest(_canonical(entry))
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")


def test_a_plan_that_was_forged_with_its_hashes_does_not_fit_its_rounds(
    mine: pw.workflows.Journal,
) -> None:
    """Rounds are derived anew, so that another plan with good hashes is seen, too."""
    seal = mine.step(table(10)).seal
    assert mine.show(seal=seal[:12]).round == 1
    _rehashed(mine.file.path, {"first": 8}, 0)
    with pytest.raises(InputError, match="must have 8 topics"):
        mine.show()
    _rehashed(mine.file.path, {"first": 10, "delta": 0.11}, 0)
    with pytest.raises(InputError, match="hash that was noted"):
        mine.show(seal=seal[:12])


def test_an_entry_left_out_breaks_the_chain(mine: pw.workflows.Journal) -> None:
    """A round that is taken out is missed by the next one."""
    status = mine.step(table(10))
    mine.step(table(status.planned))
    plan, _, last = mine.file.path.read_text(encoding="utf-8").splitlines(keepends=True)
    mine.file.path.write_text(plan + last, encoding="utf-8")
    with pytest.raises(InputError, match="another is before"):
        mine.show()


def test_an_order_of_topics_says_which_come_next(tmp_path: Path) -> None:
    """With an order each round takes the next topics, whatever else is judged."""
    order = [str(i) for i in range(199, -1, -1)]
    mine = pw.journal(tmp_path / "a.journal")
    begun = mine.start(delta=0.1, sigma=0.1, measure="AP", order=order)
    assert begun.upcoming == tuple(order[:10])
    whole = table(200)
    status = mine.step(whole)
    assert status.upcoming == tuple(order[10 : status.planned])
    with pytest.raises(OptionError, match="have no scores"):
        mine.step(table(12))


def test_looks_end_an_experiment_at_the_boundary(tmp_path: Path) -> None:
    """With looks, a difference beyond the boundary ends the experiment early."""
    mine = pw.journal(tmp_path / "a.journal")
    mine.start(delta=0.1, sigma=0.2, measure="AP", look_every=10)
    values = np.stack([np.linspace(0.5, 0.6, 10), np.linspace(0.1, 0.25, 10)])
    far = pw.ScoreTable.from_matrix(values, systems="ab", topics="0123456789", measure="AP")
    status = mine.step(far)
    assert status.is_done
    assert status.pvalue <= status.level
    assert mine.finish().is_significant
