"""Comparisons between collections by several measures: false positives beside false negatives."""

from collections.abc import Iterable

from poolwise.results._columns import Columns, stack_columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, table_of
from poolwise.studies.topics.missed_differences import FalseNegatives
from poolwise.studies.topics.two_collections import Repartitions

__all__ = ["ComparabilityStudy"]


@finding
class ComparabilityStudy(Finding):
    """How the same systems compare between two sets of topics, by several measures.

    Attributes
    ----------
    repartitions : tuple of Repartitions
        One for each measure.
    missed : tuple of FalseNegatives
        Rates of false negatives of some or all of the measures; may be empty.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=12, topics=40, depth=50, rng=3)
    >>> table = pw.score(pw.align(made.truth, made.runs), "AP", bounds="none")
    >>> forms = table, pw.standardize(table)
    >>> found = ComparabilityStudy.of(
    ...     (pw.studies.repartition(form, partitions=200) for form in forms),
    ...     [pw.studies.false_negatives(forms, samples=500)])
    >>> found.columns()["measure"], [round(rate, 2) for rate in found.columns()["false_negatives"]]
    (['AP', 'sAP'], [0.41, 0.01])
    """

    repartitions: tuple[Repartitions, ...]
    missed: tuple[FalseNegatives, ...] = ()

    @classmethod
    def of(
        cls, repartitions: Iterable[Repartitions], missed: Iterable[FalseNegatives] = ()
    ) -> "ComparabilityStudy":
        """Join findings about the same systems, with the provenance of the first."""
        first, *others = repartitions
        return cls((first, *others), tuple(missed), provenance=first.provenance)

    def columns(self) -> Columns:
        """Return one row per measure; false negatives that nobody counted are NaN."""
        rates = {name: rate for one in self.missed for name, rate in one.rates.items()}
        columns = stack_columns([one.columns() for one in self.repartitions])
        missed = [rates.get(name, float("nan")) for name in columns["measure"]]
        return columns | {"false_negatives": missed}

    def sentences(self) -> tuple[str, ...]:
        """Say what each part found."""
        parts = (*self.repartitions, *self.missed)
        return tuple(sentence for part in parts for sentence in part.sentences())

    def tables(self) -> tuple[Table, ...]:
        """Return one table, with a row per measure."""
        return (table_of(self.columns(), p_values=("p",)),)
