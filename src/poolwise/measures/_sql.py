"""The definition of a measure as a query, for those whose runs live in a database."""

from string import Template

from poolwise.errors import MeasureError, require_choice
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.provenance._recorded import recorded

__all__ = ["DIALECTS", "sql"]

DIALECTS = {"duckdb": "DuckDB"}
"""The databases that a query is written for, and tried on."""

_QUERY = Template("""\
-- $name of every judged topic, and its mean, as poolwise computes it.
-- Tables: qrels(topic, document, grade) and run(topic, document, score).
WITH
-- Ranks by score; equal scores by document id, descending, as in trec_eval.
ranked AS (
  SELECT topic, document,
    row_number() OVER (PARTITION BY topic ORDER BY score DESC, document DESC) AS rank
  FROM run
),
-- The gain at each rank; documents without a grade have none.
graded AS (
  SELECT ranked.topic, rank, $gain AS gain
  FROM ranked LEFT JOIN qrels USING (topic, document)$first_ranks
),
counted AS (
  SELECT *, sum(gain) OVER (PARTITION BY topic ORDER BY rank) AS found FROM graded
),
-- What the judgments hold, whether it was retrieved or not: the divisor comes from them.
judged AS (
  SELECT topic, $gain AS gain,
    row_number() OVER (PARTITION BY topic ORDER BY grade DESC) AS place
  FROM qrels
),
divisors AS (
  SELECT topic, $divisor AS divisor
  FROM judged GROUP BY topic
),
sums AS (
  SELECT topic, $total AS total FROM counted GROUP BY topic
),
-- A judged topic that the run lacks scores 0$undefined.
scores AS (
  SELECT topic, coalesce(total, 0) / divisor AS score
  FROM divisors LEFT JOIN sums USING (topic)$defined
)
SELECT topic, score FROM scores
UNION ALL
SELECT 'all', avg(score) FROM scores
ORDER BY topic;
""")

_HIT = "CASE WHEN coalesce(grade, 0) >= {rel:g} THEN 1.0 ELSE 0.0 END"
_DCG_GAINS = {
    "log2": "greatest(coalesce(grade, 0), 0)::DOUBLE",
    "exp-log2": "(2.0 ** greatest(coalesce(grade, 0), 0) - 1)",
}
_DISCOUNTED = "sum(gain / log2({place} + 1))"

_TOTALS = {
    "P": "sum(gain)",
    "R": "sum(gain)",
    "Success": "max(gain)",
    "RR": "max(gain / rank)",
    "AP": "sum(gain * found / rank)",
    "DCG": _DISCOUNTED.format(place="rank"),
    "nDCG": _DISCOUNTED.format(place="rank"),
    "RBP": "sum(gain * (1 - {p}) * {p} ** (rank - 1))",
}
"""What is added up over the ranks of a topic."""
_DIVISORS = {
    "P": "{cutoff}.0",
    "R": "sum(gain)",
    "AP": "sum(gain)",
    "nDCG": f"{_DISCOUNTED.format(place='place')} FILTER (WHERE place <= {{cutoff}})",
}
"""What a sum is divided by, where it is divided at all."""
_OF_JUDGMENTS = ("R", "AP", "nDCG")
"""Measures that are undefined where nothing is relevant."""


@recorded
def sql(measure: Measure | str, *, dialect: str = "duckdb") -> str:
    """Return a query that scores a run by a measure, to the last digit.

    The ideal comes from the judgments, ties are broken by id, and topics that the run lacks count
    0: what queries in circulation get wrong.

    Parameters
    ----------
    measure : Measure or str
        P, R, Success, RR, AP, DCG, nDCG or RBP of relevant documents, with any parameters.
    dialect : str
        A key of ``DIALECTS``.

    Returns
    -------
    str
        The query, with comments.

    Examples
    --------
    >>> print(sql("nDCG@10").splitlines()[0])
    -- nDCG@10 of every judged topic, and its mean, as poolwise computes it.
    """
    require_choice("dialect", dialect, DIALECTS)
    measure = parse_measure(measure)
    parameters = measure.parameters()
    _require_plain(measure)
    cutoff = parameters["cutoff"]
    needs_relevant = measure.name in _OF_JUDGMENTS
    divisor = _DIVISORS.get(measure.name, "1.0").format(**parameters)
    if cutoff is None:
        divisor = divisor.partition(" FILTER")[0]
    return _QUERY.substitute(
        name=measure,
        gain=_DCG_GAINS[str(parameters["dcg"])]
        if "dcg" in parameters
        else _HIT.format(**parameters),
        first_ranks="" if cutoff is None else f"\n  WHERE rank <= {cutoff}",
        divisor=divisor,
        total=_TOTALS[measure.name].format(**parameters),
        undefined="; one without a relevant document has no score" if needs_relevant else "",
        defined="\n  WHERE divisor > 0" if needs_relevant else "",
    )


def _require_plain(measure: Measure) -> None:
    """Raise unless a query is written for the measure, in this form."""
    parameters = measure.parameters()
    other_form = parameters.get("dcg", "log2") not in _DCG_GAINS or parameters.get("gain") not in (
        None,
        "binary",
    )
    if measure.name not in _TOTALS or other_form:
        raise MeasureError(
            f"{measure}: no query is written for it. Hint: use one of {', '.join(_TOTALS)}, with "
            "their usual gains."
        )
