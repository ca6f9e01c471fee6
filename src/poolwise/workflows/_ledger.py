"""A ledger of results: added, ranked, put in context and checked, from files to findings."""

import getpass
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from poolwise.collection._judgments import Judgments
from poolwise.collection._reading import Reading, require_order
from poolwise.collection._runs import Runs
from poolwise.errors import OptionError, require_choice
from poolwise.evidence._meeting import align
from poolwise.findings.comparison._compare import compare_evidence
from poolwise.findings.comparison._comparisons import Comparisons
from poolwise.findings.history._context import RunContext, run_in_context
from poolwise.findings.history._entries import (
    RESULT_KINDS,
    AddedResults,
    Entry,
    LedgerCheck,
    LedgerContents,
    Outcome,
)
from poolwise.findings.history._ledger_overview import (
    CollectionResults,
    LedgerOverview,
)
from poolwise.findings.history._ranks import RankIntervals, rank_runs
from poolwise.findings.history._trend import (
    PublishedGains,
    Trend,
    factors_of_cards,
    published_gains,
    trend_by_factors,
    trend_by_reference,
    trend_of_means,
)
from poolwise.measures._measure import Measure
from poolwise.measures._names import measure_named, parse_measure
from poolwise.provenance._provenance import DEFAULT_SEED, WITHOUT_FILES, Source
from poolwise.provenance._recorded import recorded
from poolwise.scores._published_means import read_published_means
from poolwise.scores._score_table import ScoreTable
from poolwise.scores.cards._card_file import require_card
from poolwise.store._ledger_folder import LedgerFolder
from poolwise.store._ledger_records import Added, ResultRecord, Retraction
from poolwise.words import counted, named
from poolwise.workflows._inputs import DEFAULT_MEASURES, several_measures
from poolwise.workflows._ledger_adding import (
    DIGITS,
    Telling,
    content_of,
    judged_version,
    mean_records,
    read_metadata,
    save,
    score_records,
    scored_records,
    scores_version,
)
from poolwise.workflows._ledger_checking import check_folder
from poolwise.workflows._ledger_reading import FilesAtHand, VersionInHand, chosen_version
from poolwise.workflows._ledger_trends import (
    collection_results,
    scored_table,
    tables_with_topics,
    versions_in_hand,
    years_of,
)
from poolwise.workflows._score_files import read_score_files

__all__ = ["MISSING", "Ledger", "ledger"]

MISSING = {
    "error": "a run without documents for a judged topic is refused",
    "zero": "it scores 0 there, and the result says for which topics",
}
"""What to do with topics that a run lacks."""


@recorded
def ledger(path: str | Path, *, make: bool = False) -> "Ledger":
    """Open a ledger: a folder with one small file for each result, to be kept under git.

    Parameters
    ----------
    path
        The folder.
    make
        Make a new one where there is none.

    Returns
    -------
    Ledger
        What adds, ranks and checks results.

    Examples
    --------
    >>> import tempfile
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=4, topics=20, depth=30, rng=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     results = pw.ledger(f"{folder}/results", make=True)
    ...     added = results.add(made.judgments, made.runs, "P@5", collection="made")
    ...     ranks = results.rank("made")
    >>> len(added.runs("added")), ranks.systems[0], ranks.low.tolist()[0]
    (4, 'bm25-3', 1)
    """
    return Ledger(LedgerFolder.at(path, make=make))


@dataclass(frozen=True)
class Ledger:
    """A ledger on disk; :func:`~poolwise.ledger` opens one.

    Scores of different judgments, and of different versions of a measure, are never mixed. A result
    that is there stays; one that is wrong is retracted, with the reason.

    Attributes
    ----------
    folder : LedgerFolder
        Where its files are.

    Examples
    --------
    >>> import tempfile
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=6, topics=20, depth=30, rng=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     results = pw.ledger(f"{folder}/results", make=True)
    ...     _ = results.add(made.judgments, made.runs, "P@5", collection="made", original=True)
    ...     context = results.context("maverick-1", baseline="ql-1")
    >>> context.weakness, round(context.percentile), context.against("best").run
    ('', 0, 'ql-2')
    """

    folder: LedgerFolder

    def __repr__(self) -> str:
        return (
            f"<Ledger {self.folder.path}: {counted(len(self.folder.collections()), 'collection')}>"
        )

    @recorded
    def add(
        self,
        judgments: Any,
        runs: Any = (),
        measures: Measure | str | Sequence[Measure | str] = DEFAULT_MEASURES,
        *,
        collection: str,
        name: str = "",
        year: int | None = None,
        original: bool = False,
        baseline: str = "",
        paper: str = "",
        metadata: Any = None,
        missing: str = "error",
        by: str = "",
        date: str = "",
        grades: Sequence[float] = (),
        reading: Reading = Reading(),
    ) -> AddedResults:
        """Score runs, and add a result for each.

        If the collection has other judgments already, the runs of these that are still at hand are
        scored by the new ones as well; their old results stay.

        Parameters
        ----------
        measures
            What to score by; all results of these judgments have the same version of a measure.
        collection
            The name of the collection.
        name
            The name of the run, where one is added; by default what its file says.
        year
            When the runs were made.
        original
            Whether the runs took part when the collection was made.
        baseline
            The run that these improve on, where a paper says so.
        paper
            Where the runs were published.
        metadata
            What else is known of each run: a dict, or a file with a header and a column ``run``;
            ``type`` says whether a run is automatic or manual.
        missing : {"error", "zero"}
            What to do with topics that a run lacks.
        by, date
            Who adds them, by default the user of this machine, and when, by default today.

        Returns
        -------
        AddedResults
            What became of each run.

        Examples
        --------
        >>> import tempfile
        >>> import poolwise as pw
        >>> qrels, runs = {"1": {"a": 1}}, {"bm25": {"1": {"a": 0.5}}}
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     results = pw.ledger(f"{folder}/results", make=True)
        ...     print(results.add(qrels, runs, "RR", collection="tiny").runs("added"))
        ('bm25',)
        """
        require_choice("missing", missing, MISSING)
        wanted = [parse_measure(measure) for measure in several_measures(measures)]
        qrels = reading.judgments(judgments, grades=grades)
        named_runs = None if _is_nothing(runs) else _named(reading.runs(runs), name)
        if named_runs is not None and qrels is not judgments and named_runs is not runs:
            require_order(qrels, named_runs)
        about = {"year": year, "original": original or None, "baseline": baseline, "paper": paper}
        telling = Telling(_added(by, date), _said(about), read_metadata(metadata))
        version = content_of(qrels)[:DIGITS]
        is_new = self.folder.version(collection, version) is None
        outcomes: tuple[Outcome, ...] = ()
        if named_runs is not None:
            outcomes = self._score(qrels, named_runs, wanted, collection, telling, missing=missing)
        if is_new or named_runs is None:
            done = {outcome.run for outcome in outcomes}
            earlier = self._earlier(collection, version, done)
            outcomes += self._rescore(qrels, earlier, wanted, collection, telling.added)
        if not outcomes:
            raise OptionError(f"runs: {collection} has none to score. Hint: name runs to add.")
        return AddedResults(outcomes, provenance=WITHOUT_FILES)

    def _score(
        self,
        judgments: Judgments,
        runs: Runs,
        measures: Sequence[Measure],
        collection: str,
        telling: Telling,
        *,
        missing: str,
    ) -> tuple[Outcome, ...]:
        evidence = align(judgments, runs)
        version = judged_version(judgments, evidence, collection, telling.added, self.folder)
        records = scored_records(
            evidence, runs, measures, version, telling, folder=self.folder, missing=missing
        )
        return save(self.folder, version, records)

    def _rescore(
        self,
        judgments: Judgments,
        earlier: Mapping[str, ResultRecord],
        measures: Sequence[Measure],
        collection: str,
        added: Added,
    ) -> tuple[Outcome, ...]:
        """Score the runs of earlier judgments that are at hand; say which are not."""
        version = content_of(judgments)[:DIGITS]
        done: tuple[Outcome, ...] = ()
        # Each with its own tie rule: the one that its collection was made with.
        ties = {
            record.ties for record in self.folder.versions(collection) if record.kind == "scored"
        }
        runs = FilesAtHand(self.folder).runs(earlier.values(), next(iter(ties), "trec_eval"))
        if runs is not None:
            telling = Telling(added, {}, {run: earlier[run].metadata for run in runs.systems})
            done = self._score(judgments, runs, measures, collection, telling, missing="zero")
        here = {outcome.run for outcome in done}
        lost = [run for run in earlier if run not in here]
        return (
            *(replace(outcome, outcome="rescored") for outcome in done),
            *(Outcome(collection, version, "scored", run, "lost") for run in lost),
        )

    def _earlier(self, collection: str, version: str, done: set[str]) -> dict[str, ResultRecord]:
        """Return the newest result of each other run by other judgments of the collection."""
        newest: dict[str, ResultRecord] = {}
        for record in self.folder.versions(collection):
            if record.kind == "scored" and record.version != version:
                results = self.folder.results(collection, record.version)
                newest |= {r.run: r for r in results if r.retracted is None and r.run not in done}
        return newest

    @recorded
    def add_scores(
        self,
        paths: str | Path | Sequence[str | Path],
        measures: str | Sequence[str] = (),
        *,
        collection: str,
        rows: str = "topics",
        first_topic: int | None = None,
        year: int | None = None,
        original: bool = False,
        baseline: str = "",
        paper: str = "",
        metadata: Any = None,
        by: str = "",
        date: str = "",
    ) -> AddedResults:
        """Add scores by topic that somebody else computed: tested within their table alone.

        Nothing is known of the judgments, so that these results are never rescored.

        Parameters
        ----------
        paths, measures, rows
            Files of scores: see :func:`~poolwise.workflows.read_score_files`.
        first_topic
            The number of the first topic, where the file does not name its topics.
        collection, year, original, baseline, paper, metadata, by, date
            As for :meth:`add`.

        Returns
        -------
        AddedResults
            What became of each run.
        """
        several = [paths] if isinstance(paths, str | Path) else list(paths)
        names = [measures] if isinstance(measures, str) else list(measures)
        tables = [_with_topics(t, first_topic) for t in read_score_files(several, names, rows=rows)]
        added = _added(by, date)
        about = {"year": year, "original": original or None, "baseline": baseline, "paper": paper}
        telling = Telling(added, _said(about), read_metadata(metadata))
        version = scores_version(tables, collection, added, self.folder)
        records = score_records(tables, version, telling, self.folder)
        return AddedResults(save(self.folder, version, records), provenance=WITHOUT_FILES)

    @recorded
    def add_means(
        self,
        path: str | Path,
        *,
        collection: str = "",
        original: bool = False,
        metadata: Any = None,
        by: str = "",
        date: str = "",
    ) -> AddedResults:
        """Add published means: they have their place and are never tested.

        Parameters
        ----------
        path
            A table with the columns run, measure and mean: see
            :func:`~poolwise.scores.read_published_means`.
        collection
            The collection of all means, where the table does not name any.
        original, metadata, by, date
            As for :meth:`add`.

        Returns
        -------
        AddedResults
            What became of each run.
        """
        means = read_published_means(path, collection=collection)
        telling = Telling(
            _added(by, date), _said({"original": original or None}), read_metadata(metadata)
        )
        parts = mean_records(means, Source.of_file(str(path)), telling, self.folder)
        outcomes = tuple(o for part in parts for o in save(self.folder, *part))
        return AddedResults(outcomes, provenance=WITHOUT_FILES)

    @recorded
    def retract(
        self,
        run: str,
        *,
        reason: str,
        collection: str = "",
        version: str = "",
        by: str = "",
        date: str = "",
    ) -> LedgerContents:
        """Say that a result does not count any more; it is kept, with the reason.

        Parameters
        ----------
        run
            The run.
        reason
            Why; it is kept with the result.
        collection, version
            Which of its results, where there are several.
        by, date
            Who says so, and when.

        Returns
        -------
        LedgerContents
            The result as it is now.
        """
        if not reason.strip():
            raise OptionError(
                "reason: it must not be empty. Hint: say why the result is retracted."
            )
        in_hand = self._of_run(run, collection, version)
        record = next(result for result in in_hand.records if result.run == run)
        who = _added(by, date)
        gone = replace(record, retracted=Retraction(reason.strip(), who.by, who.date))
        self.folder.write([gone])
        return self._contents([gone.entry(in_hand.path(gone))])

    @recorded
    def list(self, *, collection: str = "") -> LedgerContents:
        """Return what the ledger holds.

        Parameters
        ----------
        collection
            Only the results of this one.

        Returns
        -------
        LedgerContents
            The results by collection, version and run.
        """
        names = [collection] if collection else self.folder.collections()
        held = [v for name in names for v in self._versions(name)]
        return self._contents([entry for version in held for entry in version.entries()])

    def _contents(self, entries: Sequence[Entry]) -> LedgerContents:
        return LedgerContents(str(self.folder.path), tuple(entries), provenance=WITHOUT_FILES)

    def _versions(self, collection: str) -> Sequence[VersionInHand]:
        return versions_in_hand(self.folder, collection)

    def _in_hand(self, collection: str, version: str = "") -> VersionInHand:
        names = self.folder.collections()
        if not collection and len(names) != 1:
            raise OptionError(
                f"collection: the ledger has {counted(len(names), 'collection')}. Hint: name one "
                f"of {named(names, most=8)}."
            )
        about = chosen_version(self.folder, collection or names[0], version)
        return VersionInHand.read(self.folder, about)

    def _of_run(self, run: str, collection: str, version: str) -> VersionInHand:
        """Return the version with a run: of the collection named, or of the only one with it."""
        if collection:
            all_in_hand = [self._in_hand(collection, version)]
        else:
            all_in_hand = [self._in_hand(name, version) for name in self.folder.collections()]
        having = [
            in_hand for in_hand in all_in_hand if run in {record.run for record in in_hand.records}
        ]
        if not having:
            raise OptionError(
                f"run: no result of {run!r} is in {self.folder.path}. Hint: poolwise ledger list "
                "shows what is there."
            )
        if len(having) > 1:
            places = named([in_hand.about.collection for in_hand in having], most=8)
            raise OptionError(
                f"run: several collections have a result of {run!r}. Hint: name one of {places}."
            )
        return having[0]

    @recorded
    def rank(
        self,
        collection: str = "",
        measure: Measure | str = "",
        *,
        version: str = "",
        alpha: float = 0.05,
        resamples: int = 1000,
        rng: int = DEFAULT_SEED,
    ) -> RankIntervals:
        """Rank the runs of a collection, with the interval of ranks that topics leave to each.

        Parameters
        ----------
        collection
            The collection; by default the only one.
        measure
            The measure; by default the first that its results have.
        version
            Which judgments, by the first digits of their hash; by default the newest.
        alpha, resamples, rng
            As for :func:`~poolwise.findings.rank_runs`.

        Returns
        -------
        RankIntervals
            The runs, the best mean first.
        """
        in_hand = self._in_hand(collection, version)
        table = in_hand.table(in_hand.measure(str(measure)))
        return rank_runs(table, alpha=alpha, resamples=resamples, rng=rng)

    @recorded
    def tables(
        self, collection: str = "", measures: Sequence[Measure | str] = (), *, version: str = ""
    ) -> tuple[ScoreTable, ...]:
        """Return the scores of a collection by topic, one table per measure.

        Parameters
        ----------
        collection, version
            As for :meth:`rank`.
        measures
            The measures; by default all that its results have.

        Returns
        -------
        tuple of ScoreTable
            With the ranges of each run over its own unjudged documents.
        """
        in_hand = self._in_hand(collection, version)
        wanted = [str(measure) for measure in measures] or in_hand.measures()
        return tuple(in_hand.table(in_hand.measure(name)) for name in wanted)

    @recorded
    def context(
        self,
        run: str,
        measure: Measure | str = "",
        *,
        collection: str = "",
        version: str = "",
        baseline: str = "",
        files: Sequence[str | Path] = (),
        alpha: float = 0.05,
    ) -> RunContext:
        """Say where a run stands among those of its collection, and what it gains over them.

        Parameters
        ----------
        run
            A run of the ledger, or a run file, which is scored by the judgments of the ledger,
            where these are at hand, and is not added.
        measure, collection, version
            As for :meth:`rank`; by default the only collection with this run.
        baseline
            The run that it is said to improve on; by default what its result says.
        files
            Folders to look for runs and judgments in: ranges over judgments are exact where both
            rankings are at hand.

        Returns
        -------
        RunContext
            Percentiles, quartiles, and gains over the baseline, the best and the median run.
        """
        if Path(run).is_file():
            in_hand, run = self._with_file(run, collection, version, files)
        else:
            in_hand = self._of_run(run, collection, version)
        chosen = in_hand.measure(str(measure))
        entries, means = in_hand.entries(), in_hand.means(chosen)
        plain = run_in_context(
            entries, means, run, measure=chosen, baseline=baseline, alpha=alpha,
            table=None if in_hand.about.kind == "means only" else in_hand.table(chosen),
        )  # fmt: skip
        if in_hand.about.kind != "scored":
            return plain
        others = [gain.run for gain in plain.gains]
        ranges = self._at_hand(files).judged_ranges(in_hand, chosen, run, others)
        gains = tuple(replace(gain, judged=ranges.get(gain.run)) for gain in plain.gains)
        return replace(plain, gains=gains)

    def _with_file(
        self, path: str, collection: str, version: str, files: Sequence[str | Path]
    ) -> tuple[VersionInHand, str]:
        """Return a version as if a run file were one of its results, and the name of the run."""
        in_hand = self._in_hand(collection, version)
        judgments = self._at_hand(files).judgments(in_hand.about)
        if judgments is None:
            raise OptionError(
                f"run: {path} cannot be scored, since the judgments of {in_hand.words} are not at "
                "hand. Hint: name the folder that they are in by files (--files)."
            )
        runs = Reading(ties=in_hand.about.ties).runs(path)
        if len(runs.systems) != 1 or runs.systems[0] in {record.run for record in in_hand.records}:
            raise OptionError(
                f"run: {path} must hold one run, of a name that {in_hand.words} does not have; got "
                f"{named(runs.systems)}. Hint: name a run of the ledger by its name."
            )
        measures = [measure_named(name) for name in in_hand.measures()]
        telling = Telling(_added("", ""), {}, {})
        new = scored_records(
            align(judgments, runs), runs, measures, in_hand.about, telling, folder=self.folder,
            missing="error",
        )  # fmt: skip
        return replace(in_hand, records=(*in_hand.records, *new)), runs.systems[0]

    def _at_hand(self, files: Sequence[str | Path]) -> FilesAtHand:
        return FilesAtHand(self.folder, tuple(map(Path, files)))

    @recorded
    def compare(
        self,
        runs: Sequence[str] = (),
        measure: Measure | str = "",
        *,
        collection: str = "",
        version: str = "",
        baseline: str | Sequence[str] = (),
        correction: str = "holm",
        files: Sequence[str | Path] = (),
        alpha: float = 0.05,
    ) -> Comparisons:
        """Compare runs of a collection: exactly over judgments where their rankings are at hand.

        Parameters
        ----------
        runs
            The runs to compare; by default all.
        measure, collection, version, files
            As for :meth:`context`.

        Returns
        -------
        Comparisons
            One comparison per pair.
        """
        in_hand = self._in_hand(collection, version)
        chosen = in_hand.measure(str(measure))
        over = (baseline,) if isinstance(baseline, str) and baseline else tuple(baseline)
        asked = tuple(dict.fromkeys((*runs, *over))) if runs else ()
        records = [record for record in in_hand.counting if not asked or record.run in asked]
        evidence = self._at_hand(files).evidence(in_hand.about, records)
        if evidence is not None and len(evidence.systems) == len(records):
            return compare_evidence(
                evidence, chosen, baseline=over, correction=correction, alpha=alpha, draws=0,
                universe="run",
            )  # fmt: skip
        return in_hand.compared(chosen, over, asked, correction=correction, alpha=alpha)

    @recorded
    def trend(
        self,
        measure: Measure | str = "AP",
        *,
        collections: Sequence[str] = (),
        reference: str = "",
        cards: Sequence[Any] = (),
        smoothing: str = "extremes",
        mapping: str = "normal",
    ) -> Trend:
        """Say what the runs of each collection score, over the years (W10 fig. 8.2).

        Parameters
        ----------
        collections
            Which ones; by default all that have such scores and topics of the reference.
        reference
            The collection whose runs all scores are standardized by; without one, plain means are
            shown, which are not comparable.
        cards
            Cards of the collections, or their files, in place of a reference: each has factors of
            the same reference runs on its own topics.
        smoothing, mapping
            As for :func:`~poolwise.standardize`.

        Returns
        -------
        Trend
            Five numbers for each collection.
        """
        wanted = measure_named(measure)
        names = list(collections) or [n for n in self.folder.collections() if n != reference]
        if cards:
            return self._trend_by_cards(
                wanted, names, cards, reference=reference, smoothing=smoothing, mapping=mapping
            )
        if not reference:
            years, odd = years_of(self.folder, names, wanted)
            if not years:
                there = {m: None for n in names for v in self._versions(n) for m in v.measures()}
                use = f" Hint: use one of {named(list(there))}." if there else ""
                raise OptionError(f"measure: no collection has means by {wanted}.{use}")
            return trend_of_means(wanted, years, left_out=odd)
        by = scored_table(self.folder, reference, wanted)
        if by is None:
            raise OptionError(
                f"reference: {reference} has no scores of topics by {wanted}. Hint: choose a "
                "collection that has."
            )
        tables, odd = tables_with_topics(self.folder, names, wanted, set(by[1].topics))
        if not tables:
            raise OptionError(
                f"reference: no collection has scores by {wanted} on topics of {reference}. Hint: "
                "topics are matched by their names; add matrices without names with --first-topic."
            )
        return trend_by_reference(
            tables, reference, by[1], smoothing=smoothing, mapping=mapping, left_out=odd
        )

    def _trend_by_cards(
        self,
        measure: Measure,
        names: Sequence[str],
        cards: Sequence[Any],
        *,
        reference: str,
        smoothing: str,
        mapping: str,
    ) -> Trend:
        if reference:
            raise OptionError(
                "cards: scores are standardized by cards or by a collection, not by both. Hint: "
                "leave one of them out."
            )
        opened = [require_card(card) for card in cards]
        factors = factors_of_cards(opened, measure)
        tables, odd = tables_with_topics(self.folder, names, measure, set(factors.topics))
        if not tables:
            raise OptionError(
                f"cards: no collection has scores by {measure} on their topics. Hint: topics are "
                "matched by their names."
            )
        return trend_by_factors(
            tables,
            "the cards",
            factors,
            smoothing=smoothing,
            mapping=mapping,
            left_out=odd,
        )

    @recorded
    def published_gains(
        self, collection: str = "", measure: Measure | str = "", *, version: str = ""
    ) -> PublishedGains:
        """Put the results that name a baseline beside it, year by year (W10 fig. 8.4).

        Parameters
        ----------
        collection, measure, version
            As for :meth:`rank`.

        Returns
        -------
        PublishedGains
            Baselines and improved runs, and the original runs that they are measured by.
        """
        in_hand = self._in_hand(collection, version)
        chosen = in_hand.measure(str(measure))
        return published_gains(in_hand.entries(), in_hand.means(chosen), measure=chosen)

    @recorded
    def overview(
        self,
        *,
        reference: str = "",
        measure: Measure | str = "AP",
        progress: Callable[[int, int], None] | None = None,
    ) -> LedgerOverview:
        """Put everything together that the site of the ledger shows.

        Parameters
        ----------
        reference
            The collection whose runs standardize a trend; without one, plain means are shown.
        measure
            What the trend is by.

        Returns
        -------
        LedgerOverview
            What :func:`~poolwise.views.ledger_pages` draws.
        """
        names = self.folder.collections()
        shown: list[CollectionResults] = []
        for i, name in enumerate(names):
            first = chosen_version(self.folder, name).version
            shown += [
                collection_results(in_hand, newest=in_hand.about.version == first)
                for in_hand in self._versions(name)
            ]
            if progress is not None:
                progress(i + 1, len(names))
        trends = [self.trend(measure, reference=reference)] if reference else []
        if any(str(measure) in in_hand.measures() for n in names for in_hand in self._versions(n)):
            trends.append(self.trend(measure))
        files = {
            path.relative_to(self.folder.path).as_posix(): path.read_bytes()
            for path in self.folder.files()
        }
        kinds = list(RESULT_KINDS)
        shown.sort(key=lambda results: (kinds.index(results.kind), results.collection))
        return LedgerOverview(
            str(self.folder.path), tuple(shown), tuple(trends), files, provenance=WITHOUT_FILES
        )

    @recorded
    def check(self, *, files: Sequence[str | Path] = (), recompute: bool = True) -> LedgerCheck:
        """Check every file against its hash, and score again what is at hand.

        Parameters
        ----------
        files
            Folders to look for runs and judgments in, beside the places that the ledger names.
        recompute
            Whether results are scored again.

        Returns
        -------
        LedgerCheck
            What is wrong, by file.
        """
        return check_folder(self._at_hand(files), recompute=recompute)


def _is_nothing(runs: Any) -> bool:
    """Say whether no runs are given: those that the ledger knows are scored anew."""
    return runs is None or (isinstance(runs, list | tuple) and not runs)


def _named(runs: Runs, name: str) -> Runs:
    """Return a run under another name; of several none can have it."""
    if name and len(runs.systems) != 1:
        raise OptionError(
            f"name: it is for one run; got {len(runs.systems)}. Hint: add them one by one."
        )
    return replace(runs, systems=(name,)) if name else runs


def _added(by: str, date: str) -> Added:
    when = date or datetime.now(tz=UTC).date().isoformat()
    return Added(by or getpass.getuser(), when)


def _said(metadata: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in metadata.items() if value not in (None, "")}


def _with_topics(table: ScoreTable, first: int | None) -> ScoreTable:
    """Return a table whose topics have names: rows without any must not pass for topics 1 to n."""
    count = len(table.topics)
    if first is not None:
        return replace(table, topics=tuple(str(first + i) for i in range(count)))
    if table.topics == tuple(str(i + 1) for i in range(count)):
        return replace(table, topics=tuple(f"row {i + 1}" for i in range(count)))
    return table
