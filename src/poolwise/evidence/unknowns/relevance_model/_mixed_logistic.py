"""Ridge logistic regression whose intercept and some slopes differ by topic."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from poolwise.arrays import Booleans, Floats, Indices, Integers

__all__ = ["RIDGE", "MixedLogistic", "fit_mixed_logistic", "logistic"]

RIDGE = 30.0
"""Prior precision of a coefficient of a standardized feature: features that say nearly the same
must not be played off against each other, which new groups show and old ones hide. The validation
says how it was chosen."""
_FLAT = 1e-2
"""Prior precision of the intercept: where a handful of documents are judged, and all alike, the
next one need not be."""
_START = 0.5
"""Variance of the topics' effects before any is known."""
_LEAST = 1e-4
"""A variance that EM would shrink to nothing step by step."""
_STEPS, _WARM_UP = 40, 2
"""Newton steps at most, and those before the variances are first estimated."""
_SHORTEST = 1e-4
"""The share of a Newton step below which halving it further is no use."""


def logistic(odds: Floats) -> Floats:
    """Return the probability of these log odds; beyond ±40 it is as good as 0 or 1.

    Examples
    --------
    >>> logistic(np.array([-1000.0, 0.0, 1000.0])).round(3).tolist()
    [0.0, 0.5, 1.0]
    """
    # In place, since it is called for documents × draws.
    chance = np.maximum(odds, -40.0)
    np.minimum(chance, 40.0, out=chance)
    np.exp(np.negative(chance, out=chance), out=chance)
    chance += 1
    return np.divide(1, chance, out=chance)


@dataclass(frozen=True, eq=False)
class MixedLogistic:
    """A fitted model: logit P = x·β + z·b_topic, b_topic ~ N(0, diag(variances)).

    Attributes
    ----------
    beta : float array, columns
        The effects that all topics share; the first column is the intercept.
    by_topic : float array, topics × varying columns
        How each topic differs.
    variances : float array, varying columns
        Over topics, by EM.
    varying : tuple of int
        The columns that differ by topic.
    """

    beta: Floats
    by_topic: Floats
    variances: Floats
    varying: tuple[int, ...]

    def log_odds(self, design: Floats, topics: Indices) -> Floats:
        """Return the log odds at the mode of the parameters."""
        own = design[:, self.varying]
        return np.asarray(design @ self.beta + (own * self.by_topic[topics]).sum(axis=1))


def fit_mixed_logistic(
    design: Floats,
    outcome: Booleans,
    topics: Indices,
    *,
    count: int,
    varying: tuple[int, ...],
    ridge: float = RIDGE,
    start: MixedLogistic | None = None,
) -> MixedLogistic:
    """Fit by Newton's method, with the variances by EM between the steps.

    The first column of the design, documents × columns, is 1, and the others are standardized;
    topics go from 0 to ``count`` − 1, with or without a document. ``ridge`` is the prior precision
    of every coefficient but the intercept, and ``start`` a fit to nearly the same documents, from
    which fewer steps are needed.

    Examples
    --------
    >>> design = np.column_stack([np.ones(8), np.tile([-1.0, 1.0], 4)])
    >>> outcome = np.array([0, 1, 0, 1, 0, 1, 1, 0], np.bool_)
    >>> fit = fit_mixed_logistic(design, outcome, np.repeat([0, 1], 4), count=2, varying=(0,))
    >>> (fit.beta.round(2) + 0.0).tolist()
    [0.0, 0.06]
    """
    data = _by_topic(design, outcome, topics, count, varying, ridge=ridge)
    state = _start(data, start)
    for step in range(_STEPS):
        system = _Newton.at(data, state)
        moved, largest = system.move(data, state)
        settled = largest < 1e-3
        # The first effects of topics still hold what β is about to take over.
        if start is not None or step >= _WARM_UP:
            variances = system.variances(data, moved)
            settled &= bool(np.abs(np.log(variances / state.variances)).max() < 0.02)
            moved = replace(moved, variances=variances)
        state = moved
        if settled:
            break
    return MixedLogistic(
        beta=state.beta,
        by_topic=state.by_topic,
        variances=state.variances,
        varying=varying,
    )


@dataclass(frozen=True, eq=False)
class _Data:
    """The documents, topic after topic."""

    design: Floats
    own: Floats
    outcome: Floats
    topics: Indices
    present: Indices
    starts: Indices
    count: int
    varying: tuple[int, ...]
    ridge: Floats

    @cached_property
    def sizes(self) -> Integers:
        """How many documents each topic has that has any."""
        return np.diff(self.starts, append=len(self.topics))

    @cached_property
    def of_topics(self) -> tuple[tuple[int, slice], ...]:
        """The topics that have documents, and where these stand."""
        edges = [*self.starts.tolist(), len(self.topics)]
        return tuple(zip(self.present.tolist(), map(slice, edges, edges[1:]), strict=True))

    def state(self, beta: Floats, by_topic: Floats, variances: Floats) -> "_State":
        """Return parameters with what they say of the documents."""
        # Topics stand one after the other, so that each one's effects are repeated, not looked up.
        effects = np.repeat(by_topic[self.present], self.sizes, axis=0)
        odds = self.design @ beta + np.einsum("dk,dk->d", self.own, effects)
        # log(1 + e^odds), by functions that work on many numbers at once.
        softplus = np.abs(odds)
        np.exp(np.negative(softplus, out=softplus), out=softplus)
        np.log1p(softplus, out=softplus)
        softplus += np.maximum(odds, 0)
        softplus -= self.outcome * odds
        misfit = float(softplus.sum())
        return _State(beta, by_topic, variances, odds, misfit)

    def loss(self, state: "_State") -> float:
        """Return the negative logarithm of the posterior, but for a constant."""
        prior = self.ridge @ state.beta**2 + (state.by_topic**2 / state.variances).sum()
        return float(state.misfit + prior / 2)

    def products(self, left: Floats, right: Floats) -> Floats:
        """Return Σ left rightᵀ over the documents of each topic."""
        total = np.zeros((self.count, left.shape[1], right.shape[1]))
        for topic, rows in self.of_topics:
            np.matmul(left[rows].T, right[rows], out=total[topic])
        return total


def _by_topic(
    design: Floats,
    outcome: Booleans,
    topics: Indices,
    count: int,
    varying: tuple[int, ...],
    *,
    ridge: float,
) -> _Data:
    if (np.diff(topics) < 0).any():
        order = np.argsort(topics, kind="stable")
        design, outcome, topics = design[order], outcome[order], topics[order]
    starts = np.flatnonzero(np.diff(topics, prepend=-1))
    return _Data(
        design=design,
        own=design[:, varying],
        outcome=outcome.astype(np.float64),
        topics=topics,
        present=topics[starts],
        starts=starts,
        count=count,
        varying=varying,
        ridge=np.array([_FLAT, *[ridge] * (design.shape[1] - 1)]),
    )


@dataclass(frozen=True, eq=False)
class _State:
    """Where the parameters stand."""

    beta: Floats
    by_topic: Floats
    variances: Floats
    odds: Floats
    """The log odds that they give every document."""
    misfit: float
    """Minus the logarithm of the likelihood."""


def _start(data: _Data, like: MixedLogistic | None) -> _State:
    if like is not None:
        return data.state(like.beta, like.by_topic, like.variances)
    # Half a document of either kind, so that the odds are finite where all are alike.
    rate = (data.outcome.sum() + 0.5) / (len(data.outcome) + 1)
    beta = np.zeros(data.design.shape[1])
    beta[0] = np.log(rate / (1 - rate))
    varying = data.own.shape[1]
    return data.state(beta, np.zeros((data.count, varying)), np.full(varying, _START))


@dataclass(frozen=True, eq=False)
class _Newton:
    """The equations of one step: β bordered by one small block per topic."""

    schur: Floats
    inverse: Floats
    coupling: Floats
    pull: Floats
    pull_by_topic: Floats

    @classmethod
    def at(cls, data: _Data, state: _State) -> "_Newton":
        """Set up gradient and curvature of the penalized likelihood."""
        # Topics meet in β alone, so each one's small block is eliminated first (the Schur
        # complement): a step takes the cube of the columns, not of all topics' effects.
        chance = logistic(state.odds)
        weight = np.sqrt(chance * (1 - chance))[:, None]
        residual = data.outcome - chance
        weighted = weight * data.design
        products = data.products(weighted, weighted)
        pulls = data.products(data.design, residual[:, None])[:, :, 0]
        border, schur = products[:, :, data.varying], products.sum(axis=0) + np.diag(data.ridge)
        curvature = border[:, data.varying] + np.diag(1 / state.variances)
        inverse = np.asarray(np.linalg.inv(curvature), np.float64)
        coupling = border @ inverse
        return cls(
            schur=schur - np.einsum("tpk,tqk->pq", coupling, border),
            inverse=inverse,
            coupling=coupling,
            pull=pulls.sum(axis=0) - data.ridge * state.beta,
            pull_by_topic=pulls[:, data.varying] - state.by_topic / state.variances,
        )

    def move(self, data: _Data, state: _State) -> tuple[_State, float]:
        """Return the parameters after the step, and how far β moved at most.

        A step that overshoots is halved until it does not.
        """
        by_topic = np.einsum("tpk,tk->p", self.coupling, self.pull_by_topic)
        change = np.linalg.solve(self.schur, self.pull - by_topic)
        of_topic = np.einsum("tjk,tk->tj", self.inverse, self.pull_by_topic)
        of_topic -= np.einsum("tpk,p->tk", self.coupling, change)
        # With the variances held the loss is convex, so some share of the step lowers it.
        loss, scale = data.loss(state), 1.0
        while True:
            moved = data.state(
                state.beta + scale * change, state.by_topic + scale * of_topic, state.variances
            )
            if scale < _SHORTEST or data.loss(moved) <= loss:
                return moved, scale * float(np.abs(change).max())
            scale /= 2

    def variances(self, data: _Data, state: _State) -> Floats:
        """Return the mean square of the topics' effects, their uncertainty included (EM)."""
        # Effects are shrunk towards 0: without their uncertainty their squares would be too small,
        # the next ones be shrunk further, and so on.
        spread = np.linalg.inv(self.schur)
        shared = np.einsum("tpj,pq,tqj->tj", self.coupling, spread, self.coupling)
        squares = state.by_topic**2 + np.einsum("tjj->tj", self.inverse) + shared
        return np.maximum(squares[data.present].mean(axis=0), _LEAST)
