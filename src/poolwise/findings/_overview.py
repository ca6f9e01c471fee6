"""What pages are about: what every page has, and all that the report says of runs and judgments."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from poolwise.errors import MissingMeasureError
from poolwise.evidence._audit import Audit
from poolwise.evidence._meeting import TOPIC_RULES
from poolwise.findings._documents_by_run import TopicDocuments
from poolwise.findings._judged_coverage import JudgedCoverage
from poolwise.findings._measure_overview import MeasureOverview
from poolwise.findings.labels._label_agreement import LabelAgreement
from poolwise.findings.similarity._clusters import RunTree
from poolwise.findings.similarity._run_overlaps import CLUSTER, OverlapMatrix
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import Provenance
from poolwise.results._columns import Columns, stack_columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table
from poolwise.words import counted

if TYPE_CHECKING:  # few pages have any
    from poolwise.findings._beside import QualityBeside

__all__ = ["One", "Overview", "PageContent"]


class _OfMeasure(Protocol):
    """What was found by one measure."""

    @property
    def measure(self) -> Measure: ...

    def columns(self) -> Columns: ...

    def tables(self) -> tuple[Table, ...]: ...

    def parts(self) -> tuple[Finding, ...]: ...


One = TypeVar("One", bound=_OfMeasure)


@finding
class PageContent(Finding, Generic[One]):
    """What a page is made of, found once; iterating gives what was found by each measure.

    Attributes
    ----------
    measures : tuple
        What was found by each measure, in the order asked for.
    coverage : JudgedCoverage
        What is judged of each run.
    audit : Audit
        What stands out in the input.
    documents : TopicDocuments or None
        The documents behind the topics.
    """

    measures: tuple[One, ...]
    coverage: JudgedCoverage
    audit: Audit
    documents: TopicDocuments | None = None

    def __getitem__(self, measure: str | Measure) -> One:
        for overview in self.measures:
            if str(measure) == str(overview.measure):
                return overview
        raise MissingMeasureError(measure, (overview.measure for overview in self.measures))

    def __iter__(self) -> Iterator[One]:
        return iter(self.measures)

    def __len__(self) -> int:
        return len(self.measures)

    @property
    def systems(self) -> tuple[str, ...]:
        """The runs."""
        return self.coverage.systems

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics they are scored on."""
        return self.coverage.topics

    def columns(self) -> Columns:
        """Return what was found by each measure, in rows below each other."""
        return stack_columns([overview.columns() for overview in self.measures])

    def tables(self) -> tuple[Table, ...]:
        """Return the tables of each measure."""
        return tuple(table for overview in self.measures for table in overview.tables())

    def parts(self) -> tuple[Finding, ...]:
        """Return everything that was found, one finding for each question."""
        by_measure = (part for overview in self.measures for part in overview.parts())
        return (*(part for part in self.of_files() if part is not None), *by_measure)

    def of_files(self) -> tuple[Finding | None, ...]:
        """Return what was found whatever the measure; None stands for what was not."""
        return (self.coverage, self.audit, self.documents)

    def size(self) -> str:
        """Say how many runs, topics and judged documents there are."""
        documents = counted(self.coverage.judged_documents, "judged document")
        runs, topics = counted(len(self.systems), "run"), counted(len(self.topics), "topic")
        return f"{runs} on {topics}, with {documents}."

    def problems(self) -> tuple[str, ...]:
        """Say why scores of the input may not be what they seem: missing topics first."""
        remarks = [r.text for r in self.audit.remarks() if r.severity == "problem"]
        left_out = len(self.audit.topics) - len(self.topics)
        if left_out and self.audit.missing:
            # No run scores 0 on them, as the remark on missing topics says.
            topics = f"{counted(left_out, 'judged topic')} of {len(self.audit.topics):,}"
            remarks[0] = f"{topics} left out, since not every run answers them."
        return tuple(remarks)

    def origin(self) -> dict[str, str]:
        """Return what a reader needs to make the same numbers again, by name."""
        made = self.provenance
        return {
            "judgments": str(made.judgments),
            "runs": f"{len(self.systems):,}, listed below",
            "ties": f"broken by {made.tie_rule}",
            "topics": _topic_words(made),
            "measures": ", ".join(str(overview.measure) for overview in self.measures),
            **{name: str(value) for name, value in made.options},
        }

    def inputs(self) -> Columns:
        """Return one row per run: its file, and the SHA-256 of what was read."""
        sources = self.provenance.runs
        if len(sources) != len(self.systems):
            # A dict or a frame holds several runs.
            sources = sources[:1] * len(self.systems)
        return {
            "run": list(self.systems),
            "file": [source.path for source in sources],
            "sha256": [source.sha256 or None for source in sources],
        }


def _topic_words(made: Provenance) -> str:
    """Say which topics count, and what the rule means if there is one."""
    rule = made.topic_rule
    return f"{rule}: {TOPIC_RULES.get(rule, rule)}" if isinstance(rule, str) else made.topic_words


@finding
class Overview(PageContent[MeasureOverview]):
    """Everything the report shows, found once.

    ``overview["nDCG@10"]`` is what one measure says; iterating gives the measures.

    Attributes
    ----------
    measures : tuple of MeasureOverview
        One for each measure, in the order asked for.
    coverage : JudgedCoverage
        What is judged of each run.
    audit : Audit
        What stands out in the input.
    overlap : OverlapMatrix or None
        How alike the runs rank; None for one run.
    baseline : str or None
        The run that the others are compared with.
    groups : tuple of str
        Where each run comes from; empty if that was not given.
    documents : TopicDocuments or None
        The documents behind the topics.
    labels : tuple of LabelAgreement
        How far labels by machines agree with the judgments, and what they make of the runs by each
        measure; none if none were given.
    beside : tuple of QualityBeside
        What else was measured of the runs, by measure and column; none if none was given.

    Examples
    --------
    >>> from poolwise import report, simulate
    >>> made = simulate(systems=4, topics=20, depth=30, rng=1)
    >>> overview = report(made.judgments, made.runs, ["nDCG@10", "P@5"])
    >>> overview
    <Overview: 4 runs on 20 topics, with 457 judged documents.>
    >>> overview["P@5"].best_place.tolist(), overview["P@5"].worst_place.tolist()
    ([2, 3, 1, 1], [3, 4, 2, 4])
    """

    overlap: OverlapMatrix | None = None
    baseline: str | None = None
    groups: tuple[str, ...] = ()
    labels: tuple[LabelAgreement, ...] = ()
    beside: "tuple[QualityBeside, ...]" = ()

    @property
    def tree(self) -> RunTree | None:
        """The runs joined by how alike they rank; None where there are none to compare."""
        if self.overlap is None or not self.overlap.comparable.systems:
            return None
        return self.overlap.tree

    def group_of(self, system: str) -> str:
        """Return where a run comes from; empty if that was not given."""
        return self.groups[self.systems.index(system)] if self.groups else ""

    def of_files(self) -> tuple[Finding | None, ...]:
        """Return what was found whatever the measure."""
        return (self.coverage, self.audit, self.overlap, self.documents, *self.labels, *self.beside)

    def sentences(self) -> tuple[str, ...]:
        """Say how large the input is, and by each measure who leads and what holds."""
        by_measure = (sentence for overview in self.measures for sentence in overview.sentences())
        supported = (labels.supported() for labels in self.labels[:1])
        by_all = self.over_measures()
        fronts = (front.sentences()[0] for front in self.beside)
        return (self.size(), *by_all, *by_measure, *fronts, *supported, *self.who_ranks_alike())

    def over_measures(self) -> tuple[str, ...]:
        """Say what is left of the orders by all measures together; nothing for one measure."""
        comparisons = [
            overview.comparisons for overview in self.measures if overview.comparisons is not None
        ]
        return comparisons[0].over_measures(comparisons[1:]) if len(comparisons) > 1 else ()

    def labels_by(self, one: MeasureOverview) -> LabelAgreement:
        """Return what labels make of the runs by a measure."""
        return self.labels[self.measures.index(one)]

    def who_ranks_alike(self) -> tuple[str, ...]:
        """Say which runs form families, and which are near-duplicates; nothing for one run."""
        if self.overlap is None or self.tree is None:
            return ()
        families = self.tree.families(within=1 - CLUSTER)
        alike = (
            f"{counted(len(families), 'family')} of runs {'has' if len(families) == 1 else 'have'} "
            f"a mean overlap of {CLUSTER:g} or more; the largest has "
            f"{counted(len(families[0]), 'run')}."
            if families
            else f"No two runs overlap by {CLUSTER:g} or more."
        )
        return (alike, *self.overlap.sentences()[1:])
