"""Samples of documents for people to label, where a machine or another person has labelled some."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from poolwise.collection._identifiers import HashedRandom, fine_uniform, starts_of
from poolwise.collection._reading import Reading
from poolwise.errors import OptionError
from poolwise.judging._sampling import DrawnSample, LabelledWeights, draw_labelled_sample
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import DEFAULT_SEED, Provenance
from poolwise.provenance._recorded import recorded
from poolwise.workflows._further_inputs import as_machine_labels

__all__ = ["agreement_sample", "labelled_sample"]


@recorded
def labelled_sample(
    runs: Any,
    budget: int,
    *,
    labels: Any,
    by: str | None = None,
    measure: Measure | str = "P@10",
    flat: bool = False,
    judged: Any = None,
    scale: Sequence[float] = (),
    texts: Mapping[str, str] | str | Path | None = None,
    passages: Mapping[str, str] | str | Path | None = None,
    rng: int = DEFAULT_SEED,
    reading: Reading = Reading(),
) -> DrawnSample:
    """Draw documents for people to label, where a machine has labelled all.

    Parameters
    ----------
    budget
        How many documents are drawn, of all topics together, on average.
    labels, by, scale, texts, passages
        Labels by a machine: as for :func:`~poolwise.workflows.estimate_with_labels`.
    measure
        The measure that will be estimated.
    flat
        Pass over the machine's grades, where nobody trusts them.
    judged
        Judgments that are there already: only documents without one are drawn.

    Returns
    -------
    DrawnSample
        The documents of the first ranks, which were drawn, and the chance of each.

    Examples
    --------
    >>> runs = {"bm25": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}}
    >>> drawn = labelled_sample(runs, 3, labels={"gpt": {"1": {"a": 2, "b": 0}}}, measure="P@3")
    >>> drawn.drawn.tolist()
    [True, True, True]
    """
    chosen = as_machine_labels(labels, by, scale=scale, texts=texts, passages=passages)
    before = None if judged is None else reading.judgments(judged)
    return draw_labelled_sample(
        reading.runs(runs),
        chosen,
        budget,
        measure=measure,
        flat=flat,
        judged=before,
        rng=rng,
    )


@recorded
def agreement_sample(
    judgments: Any, budget: int, *, rng: int = DEFAULT_SEED, reading: Reading = Reading()
) -> DrawnSample:
    """Draw judged documents for a second person, so that agreement can be measured.

    All judged documents have the same chance, so that agreement on the sample is that on all.

    Parameters
    ----------
    budget
        How many documents are drawn, of all topics together.

    Returns
    -------
    DrawnSample
        The judged documents, and which were drawn.

    Examples
    --------
    >>> drawn = agreement_sample({"1": {"a": 1, "b": 0, "c": 1}, "2": {"d": 0}}, 2)
    >>> int(drawn.drawn.sum()), drawn.probability.tolist()
    (2, [0.5, 0.5, 0.5, 0.5])
    """
    judged = reading.judgments(judgments)
    grades = judged.scale[np.maximum(judged.codes, 0)]
    rows = np.flatnonzero(judged.judged & (grades >= 0))
    if not 1 <= budget <= len(rows):
        raise OptionError(
            f"budget: must be from 1 to the {len(rows):,} judged documents; got {budget}. Hint: "
            f"use {min(200, len(rows))}."
        )
    topic, ids = judged.topic_of_row[rows], judged.documents.take(rows)
    random, names = HashedRandom(rng), list(ids)
    uniform = np.concatenate(
        [
            fine_uniform(random.keys(judged.topics[t], [names[i] for i in part]), 1)[:, 0]
            for t in np.unique(topic).tolist()
            for part in [np.flatnonzero(topic == t).tolist()]
        ]
    )
    drawn = np.zeros(len(rows), np.bool_)
    # The lowest of independent uniform numbers: a simple random sample.
    drawn[np.argsort(uniform, kind="stable")[:budget]] = True
    return DrawnSample(
        LabelledWeights(budget, "agreement", flat=True),
        judged.topics,
        starts_of(np.bincount(topic, minlength=len(judged.topics)).tolist()),
        ids,
        drawn,
        np.ones(len(rows), np.int64),
        np.full(len(rows), budget / len(rows)),
        provenance=Provenance(judgments=judged.source),
    )
