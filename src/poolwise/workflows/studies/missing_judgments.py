"""What do missing judgments change? Studies that take judgments away, or add them one by one."""

from collections.abc import Iterable, Sequence
from typing import Any

from poolwise.collection._reading import Reading
from poolwise.errors import OptionError
from poolwise.measures._measure import Measure
from poolwise.studies.estimates.judgment_reductions import (
    DepthPools,
    JudgmentReduction,
    LeaveOut,
    Thinning,
    WidthSamples,
)
from poolwise.studies.estimates.leave_out_study import LeaveOutStudy
from poolwise.studies.estimates.left_out_runs import leave_out
from poolwise.studies.estimates.unpooled_runs import PoolingBias, pooling_bias
from poolwise.studies.judging.order_study import JudgingOrderStudy, replay_orders
from poolwise.workflows.inputs import as_collection, as_groups

__all__ = ["choose_reduction", "study_judging_orders", "study_leave_out", "study_pooling_bias"]


def study_leave_out(
    judgments: Any,
    runs: Any,
    measures: Iterable[Measure | str],
    *,
    reduction: JudgmentReduction,
    reading: Reading = Reading(),
    **options: Any,
) -> LeaveOutStudy:
    """Take judgments away, estimate scores without them, and compare with the truth.

    Parameters
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` read.
    measures
        Measures or their names.
    reduction : JudgmentReduction
        Which judgments to take away: see :func:`choose_reduction`.
    reading : Reading
        The options of :func:`~poolwise.read_runs`.
    options
        Those of :func:`~poolwise.studies.leave_out`.

    Returns
    -------
    LeaveOutStudy
        One row per measure, condition and treatment, and why treatments were refused.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=8, topics=20, depth=50, rng=3)
    >>> found = study_leave_out(made.truth, made.runs, ["P@10"],
    ...                         reduction=choose_reduction(depth=10, depths=[5]),
    ...                         treatments="condensed")
    >>> [(row.condition, row.treatment) for row in found.rows]
    [('pool depth 5', 'condensed')]
    """
    both = as_collection(judgments, runs, reading=reading)
    return leave_out(*both, measures, reduction=reduction, **options)


def choose_reduction(
    *,
    depth: int,
    groups: Any = None,
    systems: Sequence[str] = (),
    rates: Sequence[float] = (),
    depths: Sequence[int] = (),
    widths: Sequence[int] = (),
    repeats: int = 10,
) -> JudgmentReduction:
    """Return which judgments to take away: those of runs left out, unless something else is said.

    ``systems`` are the runs, for groups by name.

    Parameters
    ----------
    depth : int
        Ranks of each run that were pooled.
    groups
        Where each run comes from: an object, a file, a dict, or ``"names"``.
    systems : sequence of str
        The runs.
    rates : sequence of float
        Keep these random shares of the judgments.
    depths : sequence of int
        Judge pools of these depths only.
    widths : sequence of int
        Pool so many runs or groups only.
    repeats : int
        How often each share or pool is drawn.

    Returns
    -------
    JudgmentReduction
        ``LeaveOut``, ``Thinning``, ``DepthPools`` or ``WidthSamples``.

    Examples
    --------
    >>> choose_reduction(depth=10, rates=[0.5])
    Thinning(rates=(0.5,), repeats=10)
    """
    if sum(map(bool, (rates, depths, widths))) > 1:
        raise OptionError(
            "rates, depths, widths: they exclude each other. Hint: give one of the three."
        )
    if rates:
        return Thinning(tuple(rates), repeats=repeats)
    if depths:
        return DepthPools(tuple(depths))
    by_group = as_groups(groups, systems)
    if widths:
        return WidthSamples(tuple(widths), depth=depth, repeats=repeats, groups=by_group)
    return LeaveOut(depth, groups=by_group)


def study_pooling_bias(
    judgments: Any,
    runs: Any,
    measure: Measure | str,
    *,
    reading: Reading = Reading(),
    **options: Any,
) -> PoolingBias:
    """Draw pools at random, and see how far scores of a run outside them are off (W10 ch. 6).

    Parameters
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` read.
    measure
        A measure or its name.
    reading : Reading
        The options of :func:`~poolwise.read_runs`.
    options
        Those of :func:`~poolwise.studies.pooling_bias`.

    Returns
    -------
    PoolingBias
        Errors by width of the pool, treatment of unjudged documents and number of common topics.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=8, topics=12, depth=20, rng=1)
    >>> found = study_pooling_bias(made.truth, made.runs, "P@10", widths=[3], pools=10)
    >>> found.widths, found.common
    ((3,), (10,))
    """
    both = as_collection(judgments, runs, reading=reading)
    return pooling_bias(*both, measure, **options)


def study_judging_orders(
    judgments: Any,
    runs: Any,
    *,
    groups: Any = None,
    reading: Reading = Reading(),
    **options: Any,
) -> JudgingOrderStudy:
    """Replay orders of judging on complete judgments.

    Parameters
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` read;
        the judgments are taken to be complete.
    groups
        Where each run comes from: an object, a file, a dict, or ``"names"``.
    reading : Reading
        The options of :func:`~poolwise.read_runs`.
    options
        Those of :func:`~poolwise.studies.replay_orders`.

    Returns
    -------
    JudgingOrderStudy
        By order and count, what was found and how far the runs were ordered as in the end.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=6, topics=3, depth=20, rng=1)
    >>> found = study_judging_orders(made.truth, made.runs, orders=["depth", "hedge"], counts=[10])
    >>> found.orders, found.relevant.shape
    (('depth', 'hedge'), (2, 1))
    """
    qrels, retrieved = as_collection(judgments, runs, reading=reading)
    known = as_groups(groups, retrieved.systems)
    return replay_orders(qrels, retrieved, groups=known, **options)
