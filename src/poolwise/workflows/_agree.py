"""Who judged: how far labels of people and machines agree, and what that means for runs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from poolwise.collection._judgments import Judgments
from poolwise.collection._labels import Labels, join_labels
from poolwise.collection._reading import Reading
from poolwise.collection._runs import Runs
from poolwise.collection.formats._label_files import read_labels
from poolwise.errors import OptionError
from poolwise.evidence._meeting import align
from poolwise.findings.labels._conclusions import Conclusions, conclusions
from poolwise.findings.labels._favoured_runs import Excess, ExcessTest
from poolwise.findings.labels._label_agreement import LabelAgreement, agreement_of
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import DEFAULT_SEED, Provenance, add_notices
from poolwise.provenance._recorded import recorded
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import score

__all__ = ["agree"]

_REFERENCE = "judgments"
"""What the reference is called where it has no file to be named by."""


@recorded
def agree(
    *labels: Any,
    against: Any = None,
    runs: Any = None,
    measure: Measure | str = "nDCG@10",
    people: Sequence[str] = (),
    scale: Sequence[float] = (),
    maps: Mapping[str, Mapping[float, float]] = {},
    judges: Mapping[str, str] = {},
    same_model: Sequence[str] = (),
    texts: Mapping[str, str] | str | Path | None = None,
    passages: Mapping[str, str] | str | Path | None = None,
    alpha: float = 0.05,
    resamples: int = 1000,
    rng: int = DEFAULT_SEED,
    reading: Reading = Reading(),
) -> LabelAgreement:
    """Say how far labels agree, and what they make of conclusions about runs.

    Parameters
    ----------
    labels
        Sets of labels, by people or machines: whatever :func:`~poolwise.collection.read_labels`
        reads.
    against
        Judgments by people, which the sets are compared with; by default all are with all.
    runs
        Runs whose scores and order by the labels are compared with those by the judgments.
    maps
        For a set on another scale, by its name, the grade that each of its grades stands for.
    judges
        Which sets are of one judge, by prompt or by version: the name of each judge, and that of
        its sets, where ``*`` stands for any letters.
    same_model
        Runs that use the model that gave labels, whose scores by it are not shown.
    alpha
        The level of the paired t tests and of the test for favoured runs.
    resamples, rng
        How often topics are resampled for the order of runs, and the seed.

    Returns
    -------
    LabelAgreement
        κ and α with intervals over topics, effects on conclusions, and favoured runs.

    Examples
    --------
    >>> people = {"1": {"a": 1, "b": 0, "c": 1}, "2": {"d": 0, "e": 1}}
    >>> agreement = agree({"gpt": {"1": {"a": 1, "b": 1, "c": 1}, "2": {"d": 0, "e": 1}}},
    ...                   against=people)
    >>> round(agreement.pairs[0].kappas["nominal"].value, 3)
    0.545
    """
    all_labels = read_labels(*labels, people=people, scale=scale, texts=texts, passages=passages)
    all_labels = _mapped(all_labels, maps).with_models(judges)
    judged = None if against is None else reading.judgments(against)
    reference = "" if judged is None else _name(judged, all_labels.names)
    if judged is not None:
        by_people = Labels.of(judged, reference, machine=False)
        by_people = by_people.with_scale(scale) if scale else by_people
        all_labels = join_labels([by_people, all_labels])
    effects: dict[str, Conclusions] = {}
    excesses: dict[str, Excess] = {}
    retrieved = None if runs is None else reading.runs(runs)
    if retrieved is not None:
        if not reference:
            raise OptionError(
                "against: runs are compared by labels and by judgments, which are missing. Hint: "
                "add against= or --against with judgments by people."
            )
        _require_runs(same_model, retrieved)
        options = {"alpha": alpha, "resamples": resamples, "rng": rng}
        effects, excesses = _about_runs(all_labels, retrieved, measure, same_model, options)
    agreement = agreement_of(
        all_labels,
        reference=reference,
        conclusions=effects,
        excesses=excesses,
        same_model=same_model,
    )
    return replace(agreement, provenance=_origin(all_labels, judged, retrieved))


def _origin(labels: Labels, judged: Judgments | None, runs: Runs | None) -> Provenance:
    files = labels.sources if judged is None else labels.sources[1:]
    origin = Provenance(
        judgments=labels.sources[0] if judged is None else judged.source,
        runs=() if runs is None else runs.sources,
        tie_rule="trec_eval" if runs is None else runs.tie_rule,
        notices=add_notices((*labels.notices, *(() if runs is None else runs.notices))),
    )
    return origin.with_options(labels=tuple(str(source) for source in files))


def _name(judged: Judgments, taken: Iterable[str]) -> str:
    path = judged.source.path
    name = _REFERENCE if path.startswith("<") else Path(path).name.partition(".")[0]
    return f"{name} (people)" if name in taken else name


def _mapped(labels: Labels, maps: Mapping[str, Mapping[float, float]]) -> Labels:
    if not maps:
        return labels
    unknown = [name for name in maps if name not in labels.names]
    if unknown:
        raise OptionError(
            f"maps: no set of labels is called {unknown[0]!r}. Hint: use one of "
            f"{', '.join(labels.names)}."
        )
    parts = [labels.select(name) for name in labels.names]
    return join_labels(
        [part.mapped(maps[part.names[0]]) if part.names[0] in maps else part for part in parts]
    )


def _require_runs(names: Sequence[str], runs: Runs) -> None:
    unknown = [name for name in names if name not in runs.systems]
    if unknown:
        raise OptionError(
            f"same_model: there is no run {unknown[0]!r}. Hint: use one of "
            f"{', '.join(runs.systems[:10])}."
        )


def _about_runs(
    labels: Labels,
    runs: Runs,
    measure: Measure | str,
    same_model: Sequence[str],
    options: dict[str, Any],
) -> tuple[dict[str, Conclusions], dict[str, Excess]]:
    """Return what each machine makes of the runs, and which of them it favours."""
    grades = labels.matrix()
    labelled = ~np.isnan(grades[0])
    people = labels.predictions(labels.names[0])
    kept = runs.select(runs=[run for run in runs.systems if run not in same_model])
    human = _scores(people, kept, measure)
    evidence = align(labels.predictions(labels.names[0]), runs, topics=labels.topics)
    of_row, topic = np.flatnonzero(labelled), labels.topic_of_document
    test = ExcessTest(evidence, grades[0][of_row], topic[of_row])
    effects: dict[str, Conclusions] = {}
    excesses: dict[str, Excess] = {}
    for i, author in enumerate(labels.authors):
        if not author.machine or not (labelled & ~np.isnan(grades[i])).any():
            continue
        # Documents that people did not judge would change scores for another reason.
        machine = _scores(labels.predictions(author.name, within=labelled), kept, measure)
        effects[author.name] = conclusions(human, machine, **options)
        excesses[author.name] = test.test(grades[i][of_row], alpha=options["alpha"])
    return effects, excesses


def _scores(predicted: Judgments, runs: Runs, measure: Measure | str) -> ScoreTable:
    evidence = align(predicted, runs, topics=predicted.topics)
    return score(evidence, measure, bounds="none")
