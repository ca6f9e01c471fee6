"""The documents in first ranks: people's labels of some, a machine's of all."""

from dataclasses import dataclass, replace

import numpy as np

from poolwise.arrays import Booleans, Floats
from poolwise.collection._judgments import Judgments
from poolwise.collection._labels import Labels
from poolwise.collection._runs import Runs
from poolwise.errors import MeasureError, OptionError
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._first_ranks import FirstRanks, first_ranks
from poolwise.evidence._labelled_rows import grades_of_rows
from poolwise.evidence._meeting import align
from poolwise.evidence._ungraded import condense
from poolwise.findings.labels._document_design import (
    DocumentWeights,
    classes_of_grades,
    document_weights,
    expected_spread,
)
from poolwise.findings.labels._document_estimates import DocumentEstimates, document_estimates
from poolwise.findings.labels._label_estimates import FEWEST_LABELS
from poolwise.findings.labels._topic_estimates import FEWEST
from poolwise.measures._measure import Measure
from poolwise.measures._names import measure_named
from poolwise.measures.families._static_weights import ScaledDCG, StaticWeights
from poolwise.scores._scoring import score
from poolwise.words import counted, have

__all__ = [
    "DRAWN_UNGRADED",
    "KNOWN",
    "LabelledDocuments",
    "labelled_documents",
    "weighted_measure",
]

KNOWN = "0"
"""Stratum of documents in sampled judgments that were judged before the sample was drawn."""
DRAWN_UNGRADED = -2.0
"""Grade, in sampled judgments, of a document that was drawn and that nobody has labelled."""


@dataclass(frozen=True, eq=False)
class LabelledDocuments:
    """The documents of first ranks, with people's labels, chances, and a machine's grades."""

    measure: StaticWeights
    evidence: Evidence
    ranks: FirstRanks
    weights: DocumentWeights
    drawn: Booleans
    known: Booleans
    chance: Floats
    gain: Floats
    grades: Floats
    labels: Labels
    scale: Floats
    may_say: bool
    judgments: Judgments
    runs: Runs

    @property
    def spread(self) -> Floats:
        """σ of the design."""
        return expected_spread(self.grades, self.labels.scale)

    def estimates(self) -> DocumentEstimates:
        """Return the estimates; nonsense where chances are not known, which nobody is shown."""
        chance = self.chance if self.may_say else np.ones(len(self.chance))
        classes = classes_of_grades(self.grades)
        return document_estimates(
            self.weights, self.drawn, chance, self.gain, classes, known=self.known
        )

    def machine_gain(self) -> Floats | None:
        """Return the gain by the machine's grade; None where its scale is another."""
        # Gains are shares of that of the highest grade, and a 2 of 2 is not a 2 of 3.
        if self.labels.scale[-1:].tolist() != self.scale[-1:].tolist():
            return None
        scale = np.unique(np.append(self.labels.scale, self.scale))
        table = self.measure.gain_table(scale) / self.measure.full_gain(scale)
        place = np.searchsorted(scale, np.nan_to_num(self.grades))
        return np.where(np.isnan(self.grades), 0.0, table[place])

    def calibrated_on(self, old: Booleans) -> Floats:
        """Return gains where those of holes are the mean of judged ones with the same grade."""
        classes = classes_of_grades(self.grades)
        count = np.bincount(classes[old], minlength=int(classes.max()) + 1)
        total = np.bincount(classes[old], self.gain[old], minlength=len(count))
        return np.where(old, self.gain, (total / np.maximum(count, 1))[classes])

    def condensed(self, old: Booleans) -> Floats:
        """Return means where documents that were not judged before are taken out of the lists."""
        judged = np.zeros(len(self.evidence.judgment_rows), np.bool_)
        judged[self.ranks.rows[old]] = True
        kept = np.zeros(len(self.judgments.codes), np.bool_)
        kept[self.evidence.judgment_rows[judged]] = True
        plain = replace(self.judgments, stratum=None, probability=None).keep(kept)
        evidence = condense(align(plain, self.runs, topics=self.evidence.topics))
        return np.nan_to_num(score(evidence, self.measure, bounds="none").value).mean(axis=1)

    def notes(self) -> tuple[str, ...]:
        """Say how many documents have no label by the machine."""
        lacking = int(np.isnan(self.grades).sum())
        if not lacking:
            return ()
        said = (
            f"{counted(lacking, 'document')} in the first ranks {have(lacking)} no label by the "
            "machine: a class of their own in the calibration."
        )
        return (said,)


def labelled_documents(
    judgments: Judgments,
    runs: Runs,
    labels: Labels,
    measure: Measure | str,
    *,
    assume_random: bool = False,
) -> LabelledDocuments:
    """Bring together the documents of first ranks, people's labels of some, a machine's of all."""
    chosen = weighted_measure(measure, judgments)
    evidence = align(judgments, runs, topics=judgments.topics)
    depth = chosen.depth or int(evidence.lengths.max(initial=1))
    ranks = first_ranks(evidence, depth)
    rows = evidence.judgment_rows[ranks.rows].astype(np.intp)
    seen = judgments.scale[judgments.scale >= 0]
    scale = np.array(judgments.declared) if judgments.declared else seen
    codes = np.append(judgments.codes, -1)[rows]
    grade = np.where(codes >= 0, judgments.scale[np.maximum(codes, 0)], -1.0)
    drawn = grade >= 0
    full = chosen.full_gain(scale)
    table = chosen.gain_table(scale) / full
    labelled, chance, may_say = _chances(
        judgments, evidence, ranks, drawn, assume_random=assume_random
    )
    waiting = (codes >= 0) & (judgments.scale[np.maximum(codes, 0)] == DRAWN_UNGRADED)
    chance = _of_those_labelled(chance, drawn & ~labelled, waiting, assume_random=assume_random)
    _require_enough(drawn & ~labelled, evidence, may_say=may_say)
    weights = document_weights(evidence, ranks, full * chosen.weights(depth))
    return LabelledDocuments(
        measure=chosen,
        evidence=evidence,
        ranks=ranks,
        weights=weights,
        drawn=drawn,
        known=labelled,
        chance=chance,
        gain=np.where(drawn, table[np.searchsorted(scale, np.maximum(grade, 0))], 0.0),
        grades=grades_of_rows(labels, evidence, ranks.rows),
        labels=labels,
        scale=scale,
        may_say=may_say,
        judgments=judgments,
        runs=runs,
    )


def weighted_measure(measure: Measure | str, judgments: Judgments) -> StaticWeights:
    """Return a measure that a sample of documents can estimate, or say what else to do."""
    chosen = measure_named(measure)
    if not isinstance(chosen, StaticWeights):
        raise MeasureError(
            f"{chosen}: cannot be estimated from labels on some documents: its ideal, or what it "
            "divides by, depends on documents that nobody labelled, and no estimate of it from a "
            "few labels per topic is honest. Hint: use SDCG@10 or P@10, or let people judge whole "
            "topics, some of them, drawn at random."
        )
    if isinstance(chosen, ScaledDCG) and not chosen.top:
        if not judgments.declared:
            raise MeasureError(
                f"{chosen}: its highest grade must be declared, since one that nobody has given "
                "yet would rescale every score. Hint: write SDCG(top=3)@10, or declare the grades: "
                "--grades 0,1,2,3."
            )
        return chosen(top=judgments.declared[-1])
    return chosen


def _chances(
    judgments: Judgments,
    evidence: Evidence,
    ranks: FirstRanks,
    drawn: Booleans,
    *,
    assume_random: bool,
) -> tuple[Booleans, Floats, bool]:
    """Return which documents were known before, the chance of each, and whether it is known."""
    nothing = np.zeros(len(drawn), np.bool_)
    sample = evidence.blocks[0].sample
    if sample is None:
        share = float(drawn.mean()) if len(drawn) else 0.0
        return nothing, np.full(len(drawn), share), assume_random
    chance = sample.probability[ranks.rows]
    if judgments.stratum is None or judgments.probability is None:
        return nothing, chance, True
    rows = evidence.judgment_rows[ranks.rows]
    stratum = np.append(judgments.stratum.astype(str), "")[rows]
    # Somebody else may call a stratum 0, too; what was judged before is in the sample for certain.
    return (stratum == KNOWN) & drawn & (chance == 1), chance, True


def _of_those_labelled(
    chance: Floats, labelled: Booleans, waiting: Booleans, *, assume_random: bool
) -> Floats:
    """Return chances where some drawn documents wait for a label; refuse what is not random."""
    missing = int(waiting.sum())
    if not missing:
        return chance
    if not assume_random:
        raise OptionError(
            f"judgments: every document that was drawn needs a label by people; "
            f"{counted(missing, 'document')} {have(missing)} none. Hint: label them; or, if it is "
            "by chance that they have none: --assume-random, or assume_random=True."
        )
    # To be drawn and then to be labelled: the second chance is the same for all, and estimated.
    share = labelled.sum() / (labelled.sum() + missing)
    return np.asarray(chance * share)


def _require_enough(labelled: Booleans, evidence: Evidence, *, may_say: bool) -> None:
    if not may_say:
        return
    labels, topics = int(labelled.sum()), len(evidence.topics)
    if labels < FEWEST_LABELS or topics < FEWEST:
        raise OptionError(
            f"judgments: intervals need {FEWEST_LABELS} labels by people and {FEWEST} topics at "
            f"least; got {labels} and {topics}. Hint: draw and label more documents (poolwise "
            "sample --labels)."
        )
