"""The loop of a campaign on TREC-8, with the official judgments as answers."""

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

import poolwise as pw
from poolwise.evidence._evidence import Evidence
from poolwise.store.campaigns._journal import Entry, Event
from poolwise.store.campaigns._settings import CampaignSettings
from poolwise.workflows.campaigns._batches import Planner
from poolwise.workflows.campaigns._estimates import adjusted_means, adjusted_runs, sampled_means
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
            told = list(csv.DictReader(lines, delimiter="\t"))
        judgments = pw.read_judgments(folder / "qrels.gz")
        runs = pw.read_runs(*sorted((folder / "runs").glob("*.gz")), duplicates="first")
        kinds = {one["run"]: one["type"] for one in told}
        pooled = [one["run"] for one in told if one["judged_to_depth100"] == "yes"]
        means = pw.score(pw.align(judgments, runs), MEASURE, bounds="none").means()
        by_score = [runs.systems[at] for at in np.argsort(-means).tolist()]
        manual = [run for run in by_score if kinds[run] == "manual" and run in set(pooled)]
        automatic = tuple(run for run in pooled if kinds[run] != "manual")
        return cls(judgments.to_dict(), judgments, runs, automatic, tuple(manual[:BEST]))

    def grade(self, key: Key) -> float:
        return max(self.truth[key[0]].get(key[1], 0.0), 0.0)

    def top(self, runs: Iterable[str], topics: Iterable[str]) -> list[Key]:
        names = list(topics)
        found = {
            (topic, name): None
            for run in runs
            for topic in names
            for name in self.runs.ranking(run, topic)[:DEPTH]
        }
        return list(found)


def _settings(seed: int, **changed: object) -> CampaignSettings:
    grades = [{"grade": g, "label": str(g)} for g in (0, 1)]
    told = {"name": "trec8", "measures": [MEASURE], "depth": DEPTH, "grades": grades}
    return CampaignSettings.of(told | {"seed": seed, "judged_twice": 0, **changed})


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


def campaign_table(folders: Folders) -> ValidationTable:
    """Judge a pool of automatic runs, add the best manual ones, and adjust by common topics."""
    data = _Data.read(folders)
    measure = pw.parse_measure(MEASURE)
    truth = pw.score(pw.align(data.judgments, data.runs), MEASURE, bounds="none")
    errors, raw, held, spent = [], [], [], []
    rng = np.random.default_rng(1)
    for draw in range(DRAWS):
        state = RoomState.of(_settings(draw), ())
        pooled = rng.choice(data.automatic, WIDTH, replace=False).tolist()
        _judge(state, data, data.top(pooled, data.runs.topics))
        known = state.last_entry
        for run in data.manual:
            topics = sorted(rng.choice(data.runs.topics, COMMON, replace=False).tolist())
            told = {"run": run, "topics": topics, "depth": DEPTH, "known": known}
            state.apply(Event(state.last_event + 1, "common", "", who=run, data=told))
            _judge(state, data, data.top([run], topics))
        runs = data.runs.select([*pooled, *data.manual])
        evidence, grades = _evidence(state, runs)
        found = adjusted_runs(state, runs, evidence, measure, grades)
        means = adjusted_means(evidence.systems, found)
        for one in found:
            assert one.found is not None  # noqa: S101 -- all of its documents are judged
            at, right = evidence.systems.index(one.run), truth.systems.index(one.run)
            true = float(truth.means()[right])
            errors.append(abs(one.found.adjusted - true))
            raw.append(abs(one.found.raw - true))
            held.append(means.low[at] <= true <= means.high[at])
        spent.append(state.last_entry - known)
    anew = np.mean([len(data.top([run], data.runs.topics)) for run in data.manual])
    error, covered = float(np.mean(errors)), float(np.mean(held))
    return ValidationTable(
        "A campaign: later runs, adjusted by recorded common topics",
        f"TREC-8, {DRAWS} pools of {WIDTH} automatic runs to depth {DEPTH}; then the {BEST} best "
        f"manual runs are added, each judged for its own sake on {COMMON} topics drawn at random. "
        f"The mean absolute error of the adjusted {MEASURE} is {PUBLISHED} ± {SLACK} (W10 table "
        f"6.4), and the 95% intervals by eq. 6.5 cover at least {COVERED} of the true means.",
        ("", "mean absolute error", "95% intervals hold", "judgments per run"),
        (
            ("unadjusted (W10: 0.231)", f"{np.mean(raw):.4f}", "", "0"),
            ("adjusted (W10: 0.050)", f"{error:.4f}", f"{covered:.3f}",
             f"{np.mean(spent) / BEST:.0f}"),
            ("pooled anew", "0.0000", "", f"at most {anew:.0f}"),
        ),
        holds=abs(error - PUBLISHED) <= SLACK and covered >= COVERED,
    )  # fmt: skip


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
            told = plan.data(number, state.last_entry, runs.systems)
            state.apply(Event(state.last_event + 1, "batch", "", data=told))
            _judge(state, data, [key for item in plan.items for key in item.keys])
            if number % (BATCHES // LOOKS):
                continue
            look = number // (BATCHES // LOOKS) - 1
            evidence, grades = _evidence(state, runs)
            table = pw.score(evidence, measure)
            found = sampled_means(state, evidence, measure, grades).within(table)
            inside = (found.low - 1e-9 <= true) & (true <= found.high + 1e-9)
            held[look] += inside.tolist()
            errors[look] += np.abs(found.value - true).tolist()
            plain[look] += np.abs(table.means() - true).tolist()
            half = (found.high - found.low) / 2
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
