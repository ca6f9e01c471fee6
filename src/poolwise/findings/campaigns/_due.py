"""What is due in a campaign: to judge, to add topics, or to adjust; and how far its goal is."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from poolwise.words import counted, named, signed

__all__ = ["Due", "RunDue", "due_sentences"]

Action = Literal["judge documents", "judge topics", "add topics", "adjust"]
"""What can be due for a later run, the most pressing first."""


@dataclass(frozen=True)
class RunDue:
    """What is due for a run that came later, by its adjusted difference to the leader.

    Attributes
    ----------
    run, leader : str
        The run, and the one it is compared with.
    action : str
        Judge the documents of its common topics, judge it on more topics, add topics, or take the
        adjusted score.
    count : int
        How many documents or topics, about; 0 where it is to be adjusted.
    difference : float
        How far the adjusted mean is from the leader's; NaN before it can be adjusted.
    by_judgments, by_topics : float
        The half-widths of the difference, by the limits of repeated looks.
    """

    run: str
    leader: str
    action: Action
    count: int = 0
    difference: float = float("nan")
    by_judgments: float = float("nan")
    by_topics: float = float("nan")

    def reason(self, measure: str, margin: float) -> str:
        """Say how far apart the two are, and how sure that is; nothing before it is known."""
        if self.action == "judge documents":
            return ""
        if self.by_judgments == float("inf"):
            return f"{self.run} has too few common topics for a standard error."
        return (
            f"{self.run} is at {signed(self.difference)} to {self.leader} in {measure}, "
            f"± {self.by_judgments:.4f} by judgments and ± {self.by_topics:.4f} by topics, by "
            f"limits for repeated looks; the margin is {margin:g}."
        )


@dataclass(frozen=True)
class Due:
    r"""What is due in a campaign.

    Attributes
    ----------
    measure, goal : str
        What runs are scored by, and what judging is for.
    margin : float
        Half-widths below this are small enough.
    judgments : int or None
        How many judgments would settle the goal; None where that cannot be told.
    at_most : bool
        Whether they certainly do, and fewer may.
    reached : str
        Why nothing more need be judged for the goal; empty while something must be.
    runs : tuple of RunDue
        One entry for each later run.
    documents : int
        How many documents of common topics are to be judged, of all runs together.

    Examples
    --------
    >>> due = Due("P@10", "top:1", 0.05, 310)
    >>> print(*due_sentences(due), sep="\n")
    Judge the next documents: about 310 judgments should settle the goal top:1.
    >>> later = RunDue("new", "old", "adjust", 0, -0.02, 0.03, 0.04)
    >>> print(*due_sentences(Due("P@10", "top:1", 0.05, 310, runs=(later,))), sep="\n")
    Adjust: the adjusted score of new is good enough to be used.
    new is at −0.0200 to old in P@10, ± 0.0300 by judgments and ± 0.0400 by topics, by limits for
        repeated looks; the margin is 0.05.
    About 310 judgments should settle the goal top:1.
    """

    measure: str
    goal: str
    margin: float
    judgments: int | None
    at_most: bool = False
    reached: str = ""
    runs: tuple[RunDue, ...] = ()
    documents: int = 0


def due_sentences(due: Due) -> tuple[str, ...]:
    """Say in one sentence what is due, then why, and how many judgments would settle the goal."""
    settling = due.reached or _settling(due)
    if due.reached or due.runs:
        reasons = (run_due.reason(due.measure, due.margin) for run_due in due.runs)
        return (*_orders(due), *filter(None, reasons), settling)
    return (f"Judge the next documents: {settling[0].lower()}{settling[1:]}",)


def _settling(due: Due) -> str:
    """Say how many judgments would settle the goal."""
    if due.judgments is None:
        return f"It cannot be told yet how many judgments would settle the goal {due.goal}."
    about = "At most" if due.at_most else "About"
    settle = "settle" if due.at_most else "should settle"
    return f"{about} {counted(due.judgments, 'judgment')} {settle} the goal {due.goal}."


def _orders(due: Due) -> Iterator[str]:
    """Go through what is due, the most pressing first, the runs of each action together."""
    for action in get_args(Action):
        runs = [run_due for run_due in due.runs if run_due.action == action]
        if runs:
            yield _order(action, runs, due)


def _order(action: Action, runs: Sequence[RunDue], due: Due) -> str:
    names = named([run_due.run for run_due in runs], most=5)
    most = max(run_due.count for run_due in runs)
    if action == "judge documents":
        documents = counted(due.documents, "document")
        return f"Judge {documents} of {names} on common topics first."
    if action == "judge topics":
        return f"Judge {names} on about {counted(most, 'more common topic')} (add-common)."
    if action == "add topics":
        leaders = named(sorted({run_due.leader for run_due in runs}))
        return f"Add about {counted(most, 'topic')}, to tell {names} from {leaders}."
    are = "score of {} is" if len(runs) == 1 else "scores of {} are"
    return f"Adjust: the adjusted {are.format(names)} good enough to be used."
