"""Work on threads: the results in order, made as they are wanted."""

import pytest

from poolwise.results._progress import progress_to, report_progress
from poolwise.results._threads import in_threads


@pytest.fixture(autouse=True)
def four_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let there be threads wherever the tests run."""
    monkeypatch.setattr("os.cpu_count", lambda: 4)


def test_results_stand_in_the_order_of_the_jobs() -> None:
    """Whichever thread is done first; and what a thread asks of threads, it does itself."""
    squares = in_threads(lambda n: sum(in_threads(lambda m: m, [n] * n)), range(50))
    assert list(squares) == [n * n for n in range(50)]


def test_jobs_are_not_made_far_ahead() -> None:
    """Of a thousand jobs a few are in memory."""
    made: list[int] = []
    results = in_threads(lambda job: job, (made.append(n) or n for n in range(1000)))
    assert next(results) == 0
    assert len(made) <= 8
    assert list(results) == list(range(1, 1000))


def test_an_error_in_a_thread_is_raised() -> None:
    """The first one, as if there were no threads."""
    with pytest.raises(ZeroDivisionError):
        list(in_threads(lambda n: 1 // n, [2, 1, 0, 3]))


def test_a_thread_tells_nobody_how_far_it_is() -> None:
    """A bar would jump back and forth."""
    messages: list[tuple[str, int, int]] = []
    with progress_to(lambda *message: messages.append(message)):
        list(in_threads(lambda n: report_progress("counted", n, 3), range(3)))
    assert messages == []
