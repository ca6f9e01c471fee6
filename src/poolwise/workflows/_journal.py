"""An experiment with a journal: its plan, round by round, and its test, from files to findings."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

from poolwise.collection.files._sources import require_path
from poolwise.errors import InputError, MeasureError, OptionError
from poolwise.findings.planning._journal import (
    JournalPlan,
    JournalResult,
    JournalRound,
    JournalStatus,
    journal_plan,
    journal_result,
    next_topics,
)
from poolwise.measures._names import parse_measure
from poolwise.provenance._provenance import WITHOUT_FILES, Provenance
from poolwise.provenance._recorded import recorded
from poolwise.scores._score_table import ScoreTable
from poolwise.store._journal_file import Entry, JournalFile
from poolwise.store._record_schemas import entry_error
from poolwise.version import __version__
from poolwise.words import counted, named

__all__ = ["Journal", "journal"]

_SAME = 1e-9
"""A score that differs by less is the same."""


@recorded
def journal(path: str | Path) -> "Journal":
    """Open the journal of an experiment: a file to which its plan and every round are added.

    Parameters
    ----------
    path
        The file; the first entry makes it.

    Returns
    -------
    Journal
        What starts, continues and finishes the experiment.

    Examples
    --------
    >>> import tempfile
    >>> import poolwise as pw
    >>> table = pw.ScoreTable.from_matrix(
    ...     [[0.5, 0.3, 0.6, 0.4, 0.7], [0.2, 0.1, 0.2, 0.2, 0.1]], systems=["new", "old"],
    ...     topics="12345", measure="AP")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mine = pw.journal(f"{folder}/new-old.journal")
    ...     print(mine.start(delta=0.3, sigma=0.15, measure="AP").planned)
    ...     print(mine.step(table).is_done)
    ...     round(mine.finish().pvalue, 3)
    5
    True
    0.011
    """
    require_path(str(path))
    return Journal(JournalFile(Path(path)))


@dataclass(frozen=True)
class _Told:
    """What the entries of a journal say, checked against each other."""

    entries: tuple[Entry, ...]
    plan: JournalPlan
    rounds: tuple[JournalRound, ...]

    @property
    def systems(self) -> tuple[str, str] | None:
        """The two systems, once there is a round."""
        if not self.rounds:
            return None
        first, second = self.entries[1]["systems"]
        return first, second

    @property
    def last(self) -> JournalRound | None:
        """The last round, if there is one."""
        return self.rounds[-1] if self.rounds else None

    @property
    def planned(self) -> int:
        """Topics in all by the end of the next round; 0 at the end."""
        return next_topics(self.plan, self.last)

    @property
    def is_finished(self) -> bool:
        """Whether the test was made."""
        return bool(self.entries[-1]["entry"] == "result")


@dataclass(frozen=True)
class Journal:
    """A journal on disk; :func:`~poolwise.journal` opens one.

    The difference to detect, the level, the first topics and each round are written before they are
    judged. There is no test before the power is reached, or but at the looks that were planned.

    Attributes
    ----------
    file : JournalFile
        Where it is.

    Examples
    --------
    >>> journal("new-old.journal")
    <Journal new-old.journal>
    """

    file: JournalFile

    def __repr__(self) -> str:
        return f"<Journal {self.file.path}>"

    @recorded
    def start(
        self,
        *,
        delta: float,
        sigma: float,
        measure: str,
        power: float = 0.8,
        alpha: float = 0.05,
        look_every: int = 0,
        most: int = 0,
        order: Sequence[str] | str | Path = (),
        date: str = "",
    ) -> JournalStatus:
        """Write down what the experiment is to detect, and how it is to go, before anything else.

        Parameters
        ----------
        delta
            The smallest difference of means that would matter.
        sigma
            Best estimate of the standard deviation of per-topic differences, from past systems or
            a trial: it decides the first round.
        measure
            What the two systems are to be scored by.
        power
            The chance to find such a difference.
        look_every
            Test for significance after every so many topics, by a boundary that allows for it;
            0 tests once, when the power is reached.
        most
            End at this number of topics, whatever the power; 0 for no limit.
        order
            The topics in the order in which they are to be judged, or a file with one a line: each
            step takes the next ones.
        date
            The day of the entry; by default today.

        Returns
        -------
        JournalStatus
            How many topics to judge first.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     mine = journal(f"{folder}/a.journal")
        ...     mine.start(delta=0.05, sigma=0.14, measure="nDCG@10").planned
        64
        """
        self.file.require_new()
        plan = journal_plan(
            delta=delta, sigma=sigma, measure=str(parse_measure(measure)), power=power, alpha=alpha,
            look_every=look_every, most=most, order=_order(order),
        )  # fmt: skip
        self.file.append((), {"entry": "plan", **_made(date), **asdict(plan)})
        return self._status(self._read())

    @recorded
    def step(self, table: ScoreTable, *, date: str = "") -> JournalStatus:
        """Add a round: the scores of the two systems on all topics judged so far.

        Parameters
        ----------
        table
            Scores of the two systems: of the topics of this round and of those before, and of no
            other, unless the order of topics was settled at the start.
        date
            The day of the entry; by default today.

        Returns
        -------
        JournalStatus
            How many topics to judge next, or that the test may be made.

        Examples
        --------
        >>> import tempfile
        >>> table = ScoreTable.from_matrix([[0.5, 0.9], [0.2, 0.2]], systems="ab", topics="12",
        ...                                measure="AP")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     mine = journal(f"{folder}/a.journal")
        ...     _ = mine.start(delta=0.3, sigma=0.15, measure="AP")
        ...     mine.step(table)
        Traceback (most recent call last):
            ...
        poolwise.errors.OptionError: table: round 1 has 5 topics by the journal, and 2 are judged.
        Hint: judge the others first; a round must not be cut short.
        """
        history = self._read()
        self._require_open(history)
        if not history.planned:
            raise OptionError(
                f"{self.file.path}: the last round was reached, and no topic may be added. Hint: "
                "finish the journal."
            )
        systems = _systems(table, history)
        this_round = JournalRound(_of_this_round(_differences(table, systems), history))
        _require_unchanged(this_round, history)
        if not this_round.sigma > 0:
            raise OptionError(
                "table: the two systems differ by the same amount on every topic, which leaves no "
                "deviation to plan by. Hint: give two systems that are not identical."
            )
        sources = (table.provenance.judgments, *table.provenance.runs)
        entry = {
            "entry": "round",
            **_made(date),
            "round": len(history.rounds) + 1,
            "systems": list(systems),
            "planned": history.planned,
            "sigma": this_round.sigma,
            "power": history.plan.power_with(this_round.topics, this_round.sigma),
            "next": next_topics(history.plan, this_round),
            "files": {source.path: source.sha256 for source in sources if source.sha256},
            "differences": dict(this_round.difference),
        }
        self.file.append(history.entries, entry)
        return self._status(self._read(), table.provenance)

    @recorded
    def finish(self, *, date: str = "") -> JournalResult:
        """Test the difference, write the result down, and close the journal.

        Parameters
        ----------
        date
            The day of the entry; by default today.

        Returns
        -------
        JournalResult
            The test, calibrated for the design, beside the plain one, and a paragraph to report.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     mine = journal(f"{folder}/a.journal")
        ...     _ = mine.start(delta=0.3, sigma=0.15, measure="AP")
        ...     mine.finish()  # doctest: +ELLIPSIS
        Traceback (most recent call last):
            ...
        poolwise.errors.OptionError: ...a.journal: a test now would be too early: 0 of 5 topics are
        judged. Hint: judge what the journal asks for, and add it with poolwise journal step.
        """
        history = self._read()
        if history.is_finished:
            return self._result(history)
        if history.planned:
            judged = history.last.topics if history.last else 0
            raise OptionError(
                f"{self.file.path}: a test now would be too early: {judged} of "
                f"{counted(history.planned, 'topic')} are judged. Hint: judge what the journal "
                "asks for, and add it with poolwise journal step."
            )
        # The seal is the hash of the entry that is yet to be written.
        result = self._result(history)
        numbers = {name: cells[0] for name, cells in result.columns().items() if name != "seal"}
        self.file.append(history.entries, {"entry": "result", **_made(date), **numbers})
        return self._result(self._read())

    @recorded
    def show(self, *, seal: str = "") -> JournalStatus | JournalResult:
        """Check the journal from its first entry to its last, and say where the experiment stands.

        Parameters
        ----------
        seal
            A hash that was noted earlier, or its first digits: some entry must have it.

        Returns
        -------
        JournalStatus or JournalResult
            What comes next, or the result of a journal that is finished.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     mine = journal(f"{folder}/a.journal")
        ...     _ = mine.start(delta=0.3, sigma=0.15, measure="AP")
        ...     mine.show().planned
        5
        """
        history = self._read()
        if not any(entry["sha256"].startswith(seal) for entry in history.entries):
            raise InputError(
                str(self.file.path),
                "one entry must have the hash that was noted, and none has",
                value=seal,
                remedy="this is another journal, or it was written anew",
            )
        return self._result(history) if history.is_finished else self._status(history)

    def _read(self) -> _Told:
        """Read the entries, and check that each follows from those before it."""
        entries = self.file.entries()
        # Whoever knows how hashes are made can make them for anything.
        for number, entry in enumerate(entries, 1):
            problem = entry_error(entry)
            where = f"{self.file.path}:{number}"
            _require(not problem, where, f"an entry must be whole: {problem}")
        plan = self._plan(entries[0])
        rounds: list[JournalRound] = []
        for number, entry in enumerate(entries[1:], 2):
            planned = next_topics(plan, rounds[-1] if rounds else None)
            where = f"{self.file.path}:{number}"
            _require(entry["entry"] != "plan", where, "the plan must stand once")
            if entry["entry"] == "result":
                _require(not planned and number == len(entries), where, "a result must be the last "
                         "entry, and come after the last round")  # fmt: skip
            else:
                _require(len(entry["systems"]) == 2, where, "a round must have two systems")
                # Worked out anew from the plan and the rounds before, and not believed: a round
                # that was cut short, or went on after a look, makes the p value too small.
                this_round = JournalRound(entry["differences"])
                rule = f"this round must have {counted(planned, 'topic')}, as was planned"
                _require(planned == entry["planned"] == this_round.topics, where, rule)
                rounds.append(this_round)
        return _Told(entries, plan, tuple(rounds))

    def _plan(self, entry: Entry) -> JournalPlan:
        _require(entry.get("entry") == "plan", f"{self.file.path}:1", "the plan must come first")
        members = {name: entry[name] for name in JournalPlan.__dataclass_fields__}
        plan = JournalPlan(**members | {n: tuple(members[n]) for n in ("looks", "order")})
        problem = _problem(plan)
        _require(not problem, f"{self.file.path}:1", f"the plan must be a possible one: {problem}")
        return plan

    def _require_open(self, history: _Told) -> None:
        if history.is_finished:
            raise OptionError(
                f"{self.file.path}: the journal is finished, and no round may be added. Hint: "
                "another experiment has a journal of its own."
            )

    def _status(self, history: _Told, provenance: Provenance = WITHOUT_FILES) -> JournalStatus:
        plan, last, planned = history.plan, history.last, history.planned
        judged = last.topics if last else 0
        at = plan.looks.index(judged) if plan.looks and last else None
        return JournalStatus(
            file=str(self.file.path),
            seal=history.entries[-1]["sha256"],
            design=plan.design,
            measure=plan.measure,
            delta=plan.delta,
            power=plan.power,
            alpha=plan.alpha,
            round=len(history.rounds),
            judged=judged,
            planned=planned,
            sigma=last.sigma if last else plan.sigma,
            power_now=plan.power_with(judged, last.sigma) if last else float("nan"),
            pvalue=last.plain if last and at is not None else float("nan"),
            level=float(plan.boundary.level[at]) if at is not None else float("nan"),
            most=plan.most,
            upcoming=plan.order[judged:planned],
            looks=dict(zip(plan.looks, plan.boundary.level.tolist(), strict=True))
            if plan.looks
            else {},
            provenance=provenance,
        )

    def _result(self, history: _Told) -> JournalResult:
        result = journal_result(history.plan, history.rounds, history.systems or ("", ""))
        return result.sealed(history.entries[-1]["sha256"] if history.is_finished else "")


def _problem(plan: JournalPlan) -> str:
    """Say why a plan is none that can be made; empty for one that can."""
    try:
        parse_measure(plan.measure)
        journal_plan(
            measure=plan.measure, delta=plan.delta, sigma=plan.sigma, power=plan.power,
            alpha=plan.alpha,
        )  # fmt: skip
    except (OptionError, MeasureError) as error:
        return str(error).partition(". Hint:")[0]
    rises = all(earlier < later for earlier, later in pairwise((0, *plan.looks)))
    begins = plan.looks[:1] in ((), (plan.first,))
    return "" if rises and begins else "looks rise from the first round"


def _order(order: Sequence[str] | str | Path) -> tuple[str, ...]:
    """Return the topics in order; of a file, one a line, without the empty ones."""
    if not isinstance(order, str | Path):
        return tuple(order)
    path = Path(order)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:  # bytes, or a path, that are no text
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        rule = f"a list of topics must be a readable file: {why}"
        raise InputError(str(path), rule, remedy="check the path") from error
    return tuple(line.strip() for line in lines if line.strip())


def _made(date: str) -> dict[str, str]:
    return {"date": date or datetime.now(tz=UTC).date().isoformat(), "poolwise": __version__}


def _require(holds: bool, where: str, rule: str) -> None:  # noqa: FBT001 -- what is required
    if not holds:
        remedy = "restore the file; rounds are added by poolwise journal step alone"
        raise InputError(where, rule, remedy=remedy)


def _systems(table: ScoreTable, history: _Told) -> tuple[str, str]:
    """Return the two systems of the experiment, which must be those of the rounds before."""
    if len(table.systems) != 2:
        raise OptionError(
            f"table: an experiment has two systems; got {len(table.systems)}. Hint: give the two "
            "runs alone."
        )
    if str(table.measure) != history.plan.measure:
        raise OptionError(
            f"table: the journal is about {history.plan.measure}; got {table.measure}. Hint: score "
            "by the measure that was settled."
        )
    first = (table.systems[0], table.systems[1])
    expected = history.systems or first
    if set(expected) != set(first):
        raise OptionError(
            f"table: the experiment is about {' and '.join(expected)}; got {' and '.join(first)}. "
            "Hint: give the runs of the rounds before."
        )
    return expected


def _differences(table: ScoreTable, systems: tuple[str, str]) -> dict[str, float]:
    deltas = table.deltas(*systems)
    by_topic = dict(zip(deltas.topics, deltas.difference.tolist(), strict=True))
    return {topic: by_topic[topic] for topic in table.topics if topic in by_topic}


def _of_this_round(differences: Mapping[str, float], history: _Told) -> dict[str, float]:
    """Return the differences of the topics that the round has by the plan, or say what is wrong."""
    round_, planned = len(history.rounds) + 1, history.planned
    if history.plan.order:
        wanted = history.plan.order[:planned]
        lacking = [topic for topic in wanted if topic not in differences]
        if lacking or len(wanted) < planned:
            missing = lacking or [f"{planned - len(wanted)} more than the order lists"]
            raise OptionError(
                f"table: round {round_} has {counted(planned, 'topic')} by the journal, and these "
                f"have no scores: {named(missing, most=4)}. Hint: judge them first."
            )
        return {topic: differences[topic] for topic in wanted}
    if len(differences) < planned:
        raise OptionError(
            f"table: round {round_} has {counted(planned, 'topic')} by the journal, and "
            f"{len(differences)} are judged. Hint: judge the others first; a round must not be cut "
            "short."
        )
    if len(differences) > planned:
        raise OptionError(
            f"table: round {round_} has {counted(planned, 'topic')} by the journal, and "
            f"{len(differences)} are judged. Hint: a round must not be skipped or made longer; "
            "give the judgments of the planned topics alone."
        )
    return dict(differences)


def _require_unchanged(this_round: JournalRound, history: _Told) -> None:
    """Raise where the topics of the round before are not there, or have other scores now."""
    for topic, before in (history.last.difference if history.last else {}).items():
        now = this_round.difference.get(topic)
        if now is None or abs(now - before) > _SAME:
            said = "has no scores now" if now is None else f"is {now:.6g} now"
            raise OptionError(
                f"table: the difference on topic {topic} was {before:.6g} in the round before, and "
                f"{said}. Hint: rounds only add topics; use the runs and judgments of the rounds "
                "before."
            )
