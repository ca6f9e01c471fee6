"""The loop of a campaign on TREC-8, with the official judgments as answers."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import poolwise as pw
from poolwise.collection._common_topics import CommonTopics
from poolwise.evidence._evidence import Evidence
from poolwise.findings.campaigns._due import Due
from poolwise.store.campaigns._journal import Entry, Event
from poolwise.store.campaigns._settings import CampaignSettings
from poolwise.workflows.campaigns._batches import Planner
from poolwise.workflows.campaigns._due import due_of
from poolwise.workflows.campaigns._estimates import AdjustedRun, adjusted_runs, sampled_means
from poolwise.workflows.campaigns._standing import grades_of, judgments_of
from poolwise.workflows.campaigns._state import Key, RoomState
from validate.table import Folders, ValidationTable

__all__ = ["campaign_table", "random_share_table"]

MEASURE = "tRBP(p=0.8)@10"
WIDTH, COMMON, DEPTH, BEST = 20, 10, 10, 11
DRAWS = 200
PUBLISHED, SLACK = 0.050, 0.005
"""W10 table 6.4, width 20, ten common topics; and how far we may be from it."""
COVERED = 0.93
STOPPED, STORED = 30, 2
"""Pools that go on to the stop, and pools that go through the store, too."""
CAMPAIGNS, BATCHES, LOOKS = 12, 24, 6


@dataclass(frozen=True)
class _Data:
    truth: Mapping[str, Mapping[str, float]]
    judgments: pw.Judgments
    runs: pw.Runs
    automatic: tuple[str, ...]
    manual: tuple[str, ...]

    @classmethod
    def read(cls, folders: Folders) -> "_Data":
        folder = folders.data / "trec8"
        with (folder / "runs.tsv").open(encoding="utf-8") as lines:
            rows = list(csv.DictReader(lines, delimiter="\t"))
        judgments = pw.read_judgments(folder / "qrels.gz")
        runs = pw.read_runs(*sorted((folder / "runs").glob("*.gz")), duplicates="first")
        kinds = {row["run"]: row["type"] for row in rows}
        pooled = [row["run"] for row in rows if row["judged_to_depth100"] == "yes"]
        means = pw.score(pw.align(judgments, runs), MEASURE, bounds="none").means()
        by_score = [runs.systems[at] for at in np.argsort(-means).tolist()]
        manual = [run for run in by_score if kinds[run] == "manual" and run in set(pooled)]
        automatic = tuple(run for run in pooled if kinds[run] != "manual")
        return cls(judgments.to_dict(), judgments, runs, automatic, tuple(manual[:BEST]))

    def grade(self, key: Key) -> float:
        return max(self.truth[key[0]].get(key[1], 0.0), 0.0)

    def top(self, runs: Iterable[str], topics: Iterable[str]) -> list[Key]:
        names = list(topics)
        listed = {
            (topic, name): None
            for run in runs
            for topic in names
            for name in self.runs.ranking(run, topic)[:DEPTH]
        }
        return list(listed)


def _settings(seed: int, **changed: object) -> CampaignSettings:
    grades = [{"grade": g, "label": str(g)} for g in (0, 1)]
    settings = {"name": "trec8", "measures": [MEASURE], "depth": DEPTH, "grades": grades}
    return CampaignSettings.of(settings | {"seed": seed, "judged_twice": 0, **changed})


def _judge(state: RoomState, data: _Data, keys: Iterable[Key]) -> None:
    """Give documents their official grades; what nobody judged is not relevant."""
    for key in keys:
        if key not in state.answers:
            number = state.last_entry + 1
            state.apply(
                Entry(number, str(number), "NIST", *key, "", data.grade(key), "grade", "", "order",
                      None, "", f"{number:09d}", None, "1")
            )  # fmt: skip


def _evidence(state: RoomState, runs: pw.Runs) -> tuple[Evidence, dict[str, dict[str, float]]]:
    grades = grades_of(state.grades())
    judgments = judgments_of(state.settings, runs.topics, grades)
    return pw.align(judgments, runs, topics=runs.topics), grades


@dataclass
class _Tally:
    """What came of later runs, over all draws."""

    error: list[float] = field(default_factory=list)
    raw: list[float] = field(default_factory=list)
    held: list[bool] = field(default_factory=list)
    topics: list[int] = field(default_factory=list)
    spent: list[float] = field(default_factory=list)

    def add(self, adjusted: Sequence[AdjustedRun], true: Mapping[str, float]) -> None:
        for adjusted_run in adjusted:
            assert adjusted_run.found is not None  # noqa: S101 -- all of its documents are judged
            self.error.append(abs(adjusted_run.found.adjusted - true[adjusted_run.run]))
            self.raw.append(abs(adjusted_run.found.raw - true[adjusted_run.run]))
            self.held.append(
                abs(adjusted_run.found.adjusted - true[adjusted_run.run])
                <= adjusted_run.half + 1e-12
            )
            self.topics.append(len(adjusted_run.topics))

    def cells(self) -> tuple[str, ...]:
        return (f"{np.mean(self.error):.4f}", f"{np.mean(self.held):.3f}",
                f"{np.mean(self.topics):.1f}", f"{np.mean(self.spent):.0f}")  # fmt: skip


class _Campaign:
    """A campaign in memory: a pool is judged, manual runs come later, and more topics for them."""

    def __init__(self, data: _Data, draw: int, rng: np.random.Generator) -> None:
        self.data, self.rng = data, rng
        self.state = RoomState.of(_settings(draw), ())
        self.pooled = rng.choice(data.automatic, WIDTH, replace=False).tolist()
        _judge(self.state, data, data.top(self.pooled, data.runs.topics))
        self.known = self.state.last_entry
        self.runs = data.runs.select([*self.pooled, *data.manual])
        self.record = [
            CommonTopics.of([run], sorted(self._drawn(COMMON, ())), depth=DEPTH, seed=draw)
            for run in data.manual
        ]
        for common in self.record:
            self._extend(common.runs[0], common.topics)

    def _drawn(self, count: int, had: Sequence[str]) -> list[str]:
        left = [topic for topic in self.data.runs.topics if topic not in had]
        return self.rng.choice(left, min(count, len(left)), replace=False).tolist()

    def _extend(self, run: str, topics: Sequence[str]) -> None:
        data = {"run": run, "topics": list(topics), "depth": DEPTH, "known": self.known, "seed": 0}
        self.state.apply(Event(self.state.last_event + 1, "common", "", who=run, data=data))
        _judge(self.state, self.data, self.data.top([run], topics))

    @property
    def spent(self) -> float:
        """Judgments for each later run."""
        return (self.state.last_entry - self.known) / len(self.data.manual)

    def look(self) -> tuple[list[AdjustedRun], Due]:
        measure = pw.parse_measure(MEASURE)
        evidence, grades = _evidence(self.state, self.runs)
        adjusted = adjusted_runs(self.state, self.runs, evidence, measure, grades)
        return adjusted, due_of(self.state.settings, evidence, measure, adjusted)

    def to_the_stop(self) -> list[AdjustedRun]:
        """Draw and judge more common topics for as long as the status asks for them."""
        while True:
            adjusted, due = self.look()
            wanted = [run_due for run_due in due.runs if run_due.action == "judge topics"]
            if not wanted:
                return adjusted
            recorded = {adjusted_run.run: adjusted_run.topics for adjusted_run in adjusted}
            for run_due in wanted:
                self._extend(run_due.run, sorted(self._drawn(run_due.count, recorded[run_due.run])))


def _through_the_store(made: _Campaign, adjusted: Sequence[AdjustedRun]) -> bool:
    """Go the same way by folder, journal, list and export; say whether all numbers are the same."""
    data = made.data
    with TemporaryDirectory() as folder:
        (Path(folder) / "topics.tsv").write_text(
            "".join(f"{topic}\ttopic {topic}\n" for topic in data.runs.topics)
        )
        stored = pw.workflows.Campaign.make(
            f"{folder}/trec8", measures=[MEASURE], grades=(0, 1), depth=DEPTH
        )
        stored.add_topics(f"{folder}/topics.tsv")
        stored.add_runs(data.runs.select(made.pooled))
        stored.import_judgments(_graded(data, data.top(made.pooled, data.runs.topics)),
                                assessor="NIST")  # fmt: skip
        first = stored.export("majority")
        (Path(folder) / "common.tsv").write_bytes(
            b"".join(common.to_bytes() for common in made.record)
        )
        stored.add_runs(data.runs.select(data.manual), common=f"{folder}/common.tsv")
        listed = stored.next(budget=100_000)
        asked = [key for *key, why in zip(listed.topic, listed.document, listed.reason, strict=True)
                 if "for its own sake" in why]  # fmt: skip
        stored.import_judgments(_graded(data, map(tuple, asked)), assessor="NIST")
        status, second = stored.status(), stored.export("majority")
        judged = pw.read_judgments(second.path).to_dict()
        places = [status.table.systems.index(adjusted_run.run) for adjusted_run in adjusted]
    ends = status.adjusted.value[places], status.adjusted.high[places]
    expected = zip(*((run.found.adjusted, run.found.adjusted + run.half) for run in adjusted
                     if run.found), strict=True)  # fmt: skip
    same = all(np.allclose(x, y, rtol=0, atol=1e-12) for x, y in zip(ends, expected, strict=True))
    in_memory = grades_of(made.state.grades())
    return same and judged == in_memory and second.previous == first.version


def _graded(data: _Data, keys: Iterable[Key]) -> dict[str, dict[str, float]]:
    grades: dict[str, dict[str, float]] = {}
    for topic, document in keys:
        grades.setdefault(topic, {})[document] = data.grade((topic, document))
    return grades


def campaign_table(folders: Folders) -> ValidationTable:
    """Judge a pool of automatic runs, add the best manual ones, and adjust by common topics."""
    data = _Data.read(folders)
    scored = pw.score(pw.align(data.judgments, data.runs), MEASURE, bounds="none")
    true = dict(zip(scored.systems, scored.means().tolist(), strict=True))
    first, stop, rng, same = _Tally(), _Tally(), np.random.default_rng(1), []
    for draw in range(DRAWS):
        made = _Campaign(data, draw, rng)
        adjusted, _ = made.look()
        first.add(adjusted, true)
        first.spent.append(made.spent)
        if draw < STORED:
            same.append(_through_the_store(made, adjusted))
        if draw < STOPPED:
            stop.add(made.to_the_stop(), true)
            stop.spent.append(made.spent)
    anew = np.mean([len(data.top([run], data.runs.topics)) for run in data.manual])
    error, covered = float(np.mean(first.error)), [np.mean(tally.held) for tally in (first, stop)]
    return ValidationTable(
        "A campaign: later runs, adjusted by recorded common topics",
        f"TREC-8, {DRAWS} pools of {WIDTH} automatic runs to depth {DEPTH}; then the "
        f"{len(data.manual)} best manual runs are added, each judged for its own sake on {COMMON} "
        "topics drawn at random. "
        f"The mean absolute error of the adjusted {MEASURE} is {PUBLISHED} ± {SLACK} (W10 table "
        "6.4). More topics are drawn for a run while the status asks for them (the half-width by "
        f"eq. 6.5 is above the margin of 0.05; the first {STOPPED} pools); intervals, by limits "
        f"of repeated looks, cover at least {COVERED} of the true means at the first export and at "
        f"the stop. The first {STORED} pools go through folder, journal, lists and exports, too: "
        f"all numbers are the same in {sum(same)} of them.",
        ("", "mean absolute error", "95% intervals hold", "common topics", "judgments per run"),
        (
            ("unadjusted (W10: 0.231)", f"{np.mean(first.raw):.4f}", "", "0", "0"),
            ("adjusted (W10: 0.050)", *first.cells()),
            ("adjusted, at the stop", *stop.cells()),
            ("pooled anew", "0.0000", "", "50", f"at most {anew:.0f}"),
        ),
        holds=abs(error - PUBLISHED) <= SLACK and min(covered) >= COVERED and all(same),
    )


def random_share_table(folders: Folders) -> ValidationTable:
    """Judge adaptively with a random share, and look at its estimates again and again."""
    data = _Data.read(folders)
    measure = pw.parse_measure(MEASURE)
    held: list[list[bool]] = [[] for _ in range(LOOKS)]
    errors: list[list[float]] = [[] for _ in range(LOOKS)]
    widths: list[list[float]] = [[] for _ in range(LOOKS)]
    plain: list[list[float]] = [[] for _ in range(LOOKS)]
    at_stop: list[bool] = []
    for seed in range(CAMPAIGNS):
        rng = np.random.default_rng(seed)
        runs = data.runs.select(rng.choice(data.automatic, WIDTH, replace=False).tolist())
        settings = _settings(seed, batch=100, goal="order")
        state = RoomState.of(settings, ())
        planner = Planner(settings, runs, runs.topics, lambda name: name)
        complete = RoomState.of(settings, ())
        _judge(complete, data, data.top(runs.systems, runs.topics))
        true = measure.score(_evidence(complete, runs)[0]).mean(axis=1)
        stopped: np.ndarray[tuple[int], np.dtype[np.bool_]] | None = None
        for number in range(1, BATCHES + 1):
            grades = grades_of(state.grades())
            plan = planner.plan(grades, set(state.item_of), (), number)
            content = plan.data(number, state.last_entry, runs.systems)
            state.apply(Event(state.last_event + 1, "batch", "", data=content))
            _judge(state, data, [key for item in plan.items for key in item.keys])
            if number % (BATCHES // LOOKS):
                continue
            look = number // (BATCHES // LOOKS) - 1
            evidence, grades = _evidence(state, runs)
            table = pw.score(evidence, measure)
            estimates = sampled_means(state, evidence, measure, grades).within(table)
            inside = (estimates.low - 1e-9 <= true) & (true <= estimates.high + 1e-9)
            held[look] += inside.tolist()
            errors[look] += np.abs(estimates.value - true).tolist()
            plain[look] += np.abs(table.means() - true).tolist()
            half = (estimates.high - estimates.low) / 2
            widths[look] += half.tolist()
            if stopped is None and (half.mean() <= settings.margin or number == BATCHES):
                stopped = inside
                at_stop += inside.tolist()
    rows = tuple(
        (f"{(look + 1) * (BATCHES // LOOKS) * 100:,}", f"{np.mean(plain[look]):.4f}",
         f"{np.mean(errors[look]):.4f}", f"{np.mean(widths[look]):.4f}",
         f"{np.mean(held[look]):.3f}")
        for look in range(LOOKS)
    )  # fmt: skip
    stop = float(np.mean(at_stop))
    return ValidationTable(
        "A campaign: estimates from the random share of adaptive batches",
        f"TREC-8, {CAMPAIGNS} campaigns of {WIDTH} automatic runs, {MEASURE}, batches of 100 of "
        "which a fifth is drawn at random. The intervals hold however often one looks, so that "
        f"they cover at least {COVERED} at every look, and at the stop (the mean half-width is "
        f"below the margin of 0.05, or the last look): there {stop:.3f}.",
        ("judgments", "error, plain", "error, estimate", "mean half-width", "95% hold"),
        rows,
        holds=stop >= COVERED and min(np.mean(h) for h in held) >= COVERED,
    )
