"""How often two systems change places with the wording of the queries (W10 §3.3.6)."""

import re
from collections.abc import Mapping, Sequence

import numpy as np

from poolwise.arrays import TOLERANCE, Floats, Integers
from poolwise.errors import OptionError
from poolwise.measures._measure import Measure
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._tables import Table, table_of
from poolwise.scores._score_table import ScoreTable
from poolwise.studies._swaps import pair_differences
from poolwise.words import counted

__all__ = ["VariantSwaps", "variant_swaps", "variants_of_names"]

Variants = Mapping[str, tuple[str, str]]
"""From the id of a query to its topic, and the set of queries it belongs to."""

_NAME = re.compile(r"(?P<topic>.+)[-_.:/](?P<variant>[^-_.:/]+)|(?P<number>.*\d)(?P<letter>[a-z]+)")
"""A topic and a variant, with a mark between them (401-2), or a letter at the end (401b)."""


@finding
class VariantSwaps(Finding):
    """How often sets of queries for the same topics put two systems in opposite orders.

    Attributes
    ----------
    measure : Measure
    systems, topics : tuple of str
        The systems, and the topics that all sets have a query for.
    variants : tuple of str
        The sets of queries: one wording of every topic each.
    left_out : int
        Topics that were left out, since a set has no query for them or a score is undefined.
    fuzziness : float
        Means that differ by no more than this share of the larger one count as equal.
    means : float array, systems × variants
        Mean score of each system by each set of queries.
    first, second, equal : int array, pairs
        How many sets have the first system of a pair better, the second, and neither.

    Examples
    --------
    >>> table = ScoreTable.from_matrix(
    ...     [[0.5, 0.2, 0.5, 0.6], [0.4, 0.5, 0.4, 0.5]], systems=["a", "b"],
    ...     topics=["1-short", "1-long", "2-short", "2-long"], measure="AP")
    >>> swaps = variant_swaps(table)
    >>> swaps.variants, swaps.first.tolist(), swaps.second.tolist(), swaps.error_rate
    (('long', 'short'), [1], [1], 0.5)
    """

    measure: Measure
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    variants: tuple[str, ...]
    left_out: int
    fuzziness: float
    means: Floats
    first: Integers
    second: Integers
    equal: Integers

    @property
    def error_rate(self) -> float:
        """Share of decisions against what most sets of queries say (Buckley & Voorhees 2000)."""
        return self._share(np.minimum(self.first, self.second))

    @property
    def equal_rate(self) -> float:
        """Share of decisions in which the two systems count as equal."""
        return self._share(self.equal)

    def _share(self, counts: Integers) -> float:
        return float(counts.sum() / (len(counts) * len(self.variants)))

    def columns(self) -> Columns:
        """Return one row per pair of systems."""
        left, right = np.triu_indices(len(self.systems), k=1)
        means = self.means.mean(axis=1)
        return {
            "measure": [str(self.measure)] * len(left),
            "a": [self.systems[i] for i in left],
            "b": [self.systems[i] for i in right],
            "difference": (means[left] - means[right]).tolist(),
            "a_better": self.first.tolist(),
            "b_better": self.second.tolist(),
            "equal": self.equal.tolist(),
        }

    def sentences(self) -> tuple[str, ...]:
        """Say how often a set of queries goes against the others."""
        swapped = (
            f"{self.error_rate:.1%} of the decisions in {self.measure} about pairs of "
            f"{counted(len(self.systems), 'system')}, by {counted(len(self.variants), 'set')} of "
            f"queries for {counted(len(self.topics), 'topic')}, go against what most sets say."
        )
        equal = (
            f"Means that differ by {self.fuzziness:.0%} at most count as equal, "
            f"{self.equal_rate:.1%} of the decisions."
        )
        if not self.left_out:
            return swapped, equal
        why = "not every set has a query, or a score, for them"
        return swapped, equal, f"Left out: {counted(self.left_out, 'topic')}, since {why}."

    def tables(self) -> tuple[Table, ...]:
        """Return one row: how many sets and topics there are, and the rates."""
        row: Columns = {
            "measure": [str(self.measure)],
            "sets of queries": [len(self.variants)],
            "topics": [len(self.topics)],
            "pairs": [len(self.first)],
            "against the majority": [self.error_rate],
            "equal": [self.equal_rate],
        }
        return (table_of(row),)


@recorded
def variant_swaps(
    table: ScoreTable, variants: Variants | None = None, *, fuzziness: float = 0.05
) -> VariantSwaps:
    """Measure how often sets of queries for the same topics put two systems in opposite orders.

    Each topic has several queries, one in each set. A pair of systems is ordered by every set; the
    rate is the share of decisions that goes against what most sets say.

    The error rate of Buckley and Voorhees (2000): of all decisions about a pair, one per set of
    queries, the share that goes against the majority of sets. Means that are nearly equal decide
    nothing.

    Parameters
    ----------
    table : ScoreTable
        Scores, one column per query.
    variants : mapping from str to (str, str), optional
        File with query, topic and set of queries on each line; by default the ids of
        queries tell topic and set, such as 401-2, 401.short or 401b.
    fuzziness : float
        Count means as equal that differ by no more than this share of the larger one.

    Returns
    -------
    VariantSwaps
        The decisions of all sets about every pair.

    Examples
    --------
    >>> table = ScoreTable.from_matrix(
    ...     [[0.5, 0.9, 0.5], [0.4, 0.1, 0.4]], systems="ab", topics=["q1", "q2", "q3"],
    ...     measure="AP")
    >>> variants = {"q1": ("1", "short"), "q2": ("2", "short"), "q3": ("1", "long")}
    >>> swaps = variant_swaps(table, variants)
    >>> swaps.topics, swaps.left_out, swaps.error_rate
    (('1',), 1, 0.0)
    """
    _check(fuzziness, len(table.systems))
    query = _queries(table, variants_of_names(table.topics) if variants is None else variants)
    sets = tuple(sorted({name for of_topic in query.values() for name in of_topic}))
    # Sets of queries are compared on the topics that all of them have.
    topics = [topic for topic, of_topic in query.items() if len(of_topic) == len(sets)]
    used = [t for t in topics if table.defined[list(query[t].values())].all()]
    _refuse_nothing(sets, used)
    chosen = [[query[topic][name] for topic in used] for name in sets]
    means = np.stack([table.value[:, columns].mean(axis=1) for columns in chosen], axis=1)
    # Without any fuzziness, too, means that differ by rounding alone are equal.
    lead = _leads(means, max(fuzziness, TOLERANCE))
    return VariantSwaps(
        measure=table.measure,
        systems=table.systems,
        topics=tuple(used),
        variants=sets,
        left_out=len(query) - len(used),
        fuzziness=fuzziness,
        means=means,
        first=(lead > 0).sum(axis=0),
        second=(lead < 0).sum(axis=0),
        equal=(lead == 0).sum(axis=0),
        provenance=table.provenance.with_options(fuzziness=fuzziness, variants=len(sets)),
    )


@recorded
def variants_of_names(queries: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return the topic and the set of queries that ids tell, such as 401-2 or 401b.

    Parameters
    ----------
    queries : sequence of str
        Ids: a topic, one of ``-_.:/`` and a variant, or a number with letters behind it.

    Returns
    -------
    dict
        From the id to topic and variant.

    Examples
    --------
    >>> variants_of_names(["401-2", "401b", "q.7.long"])
    {'401-2': ('401', '2'), '401b': ('401', 'b'), 'q.7.long': ('q.7', 'long')}
    """
    variants = {}
    for query in queries:
        match = _NAME.fullmatch(query)
        if match is None:
            raise OptionError(
                f"variants: the id {query!r} does not separate topic and variant. Hint: name "
                "queries such as 401-2 or 401b, or give a file with query, topic and set."
            )
        parts = match.groupdict()
        topic, variant = parts["topic"] or parts["number"], parts["variant"] or parts["letter"]
        variants[query] = (topic, variant)
    return variants


def _leads(means: Floats, fuzziness: float) -> Integers:
    """Return 1 where the first of a pair is better, −1 where the second is, sets × pairs."""
    by_set = means.T
    left, right = np.triu_indices(len(means), k=1)
    # Buckley & Voorhees 2000: equal within a share of the larger one of the two.
    larger = np.maximum(np.abs(by_set[:, left]), np.abs(by_set[:, right]))
    difference = pair_differences(by_set)
    clear = np.abs(difference) > fuzziness * larger
    return (np.sign(difference) * clear).astype(np.int64)


def _queries(table: ScoreTable, variants: Variants) -> dict[str, dict[str, int]]:
    """Return by topic and set the column of the query."""
    columns: dict[str, dict[str, int]] = {}
    for column, query in enumerate(table.topics):
        if query not in variants:
            raise OptionError(
                f"variants: the query {query!r} has no topic and set. Hint: add a line for it, or "
                "leave it out of the scores."
            )
        topic, name = variants[query]
        if columns.setdefault(topic, {}).setdefault(name, column) != column:
            raise OptionError(
                f"variants: the set {name!r} has two queries for topic {topic!r}, one of them "
                f"{query!r}. Hint: put one of them into another set."
            )
    return columns


def _check(fuzziness: float, systems: int) -> None:
    if not 0 <= fuzziness < 1:
        raise OptionError(
            f"fuzziness: must be from 0 up to below 1; got {fuzziness!r}. Hint: use 0.05."
        )
    if systems < 2:
        raise OptionError(f"table: two systems are needed; got {systems}. Hint: give more runs.")


def _refuse_nothing(sets: Sequence[str], topics: Sequence[str]) -> None:
    if len(sets) < 2 or not topics:
        raise OptionError(
            f"variants: {counted(len(sets), 'set')} of queries with "
            f"{counted(len(topics), 'topic')} in all of them cannot be compared. Hint: give two "
            "sets or more with a query for the same topics."
        )
