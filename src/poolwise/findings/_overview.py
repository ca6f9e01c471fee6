"""What the report is about: all that runs and judgments say, by several measures."""

from poolwise.findings._measure_overview import MeasureOverview
from poolwise.findings._page_content import PageContent
from poolwise.findings.labels._label_agreement import LabelAgreement
from poolwise.findings.similarity._clusters import RunTree
from poolwise.findings.similarity._run_overlaps import CLUSTER, OverlapMatrix
from poolwise.results._finding import Finding, finding
from poolwise.words import counted

__all__ = ["Overview"]


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
        return (self.coverage, self.audit, self.overlap, self.documents, *self.labels)

    def sentences(self) -> tuple[str, ...]:
        """Say how large the input is, and by each measure who leads and what holds."""
        by_measure = (sentence for one in self.measures for sentence in one.sentences())
        supported = (labels.supported() for labels in self.labels[:1])
        by_all = self.over_measures()
        return (self.size(), *by_all, *by_measure, *supported, *self.who_ranks_alike())

    def over_measures(self) -> tuple[str, ...]:
        """Say what is left of the orders by all measures together; nothing for one measure."""
        found = [one.comparisons for one in self.measures if one.comparisons is not None]
        return found[0].over_measures(found[1:]) if len(found) > 1 else ()

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
