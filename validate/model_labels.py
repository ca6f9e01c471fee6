"""Whether a machine's labels help the relevance model, and never harm it.

Each group of runs of DL 2019 and DL 2021 is left out of the pool in turn, as for the default path;
the model is told the labels of one machine on all documents, or none.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

import poolwise as pw
from poolwise.collection import Labels, read_labels
from poolwise.evidence.unknowns.relevance_model._features import document_codes
from poolwise.scores.treatments._relevance_model_treatment import (
    RelevanceModelTreatment,
    fit_model,
)
from validate.default_path import Collection, Split, errors_of, groups_left_out
from validate.table import Folders, Row, ValidationTable, table_of_rows

__all__ = ["model_labels_table"]

SETS = {
    "trec-dl-2019": ("gpt4-umbrela", "llama3-70b-four-prompts", "llama3-8b-four-prompts"),
    "trec-dl-2021": ("gpt4-umbrela", "gpt4-exam", "llama32-binary"),
}
"""The labels of each collection; of the first a gain is asked for, of all that they do no harm."""
NONE, SHUFFLED = "none", "shuffled"
_CASES = (("trec-dl-2019", 10), ("trec-dl-2019", 20), ("trec-dl-2021", 10))
_LOSS, _RMSE = 0.85, 1.02


def model_labels_table(folders: Folders) -> ValidationTable:
    """Check the bars of machine labels as a feature of the relevance model."""
    rows = [row for name, depth in _CASES for row in _rows(Collection(folders.data / name, depth))]
    missed = [row | {"missed": missed_bars(row)} for row in rows]
    return table_of_rows(
        "Machine labels as a feature of the relevance model",
        "A group is left out, and the model knows a machine's grade of every document; what it "
        "means is learned from the judgments that are left. Log loss is that of relevance (grade 2 "
        "or more for P) of the documents that the group alone brought in; RMSE is of the means of "
        "its runs; ratios are to the model without labels. With groups and depth told, and with "
        "nothing told. The labels of GPT-4 lower log loss by 15% at least, and no set of labels, "
        "not even a shuffled one, raises the RMSE by more than 2%; ranges hold for at least 90% of "
        "runs. (DL 2019 to depth 20 has no bar: the official pool is 10 deep.)",
        missed,
        holds=not any(row["missed"] for row in missed),
    )


def _rows(collection: Collection) -> Iterator[Row]:
    ways = {
        "groups": RelevanceModelTreatment(collection.depth, groups=collection.groups, draws=200),
        "nothing": RelevanceModelTreatment(draws=200),
    }
    for way, treatment in ways.items():
        alone: dict[str, Row] = {}
        for name in (NONE, *SETS[collection.folder.name], SHUFFLED):
            options = replace(treatment, labels=labels_of(collection.folder, name))
            for row in _of_labels(collection, options):
                first = alone.setdefault(str(row["measure"]), row)
                yield {
                    "collection": collection.folder.name,
                    "depth": collection.depth,
                    "told": way,
                    "labels": name,
                    **row,
                    "loss, ratio": _number(row["log loss"]) / _number(first["log loss"]),
                    "RMSE, ratio": _number(row["RMSE"]) / _number(first["RMSE"]),
                }


def _of_labels(collection: Collection, options: RelevanceModelTreatment) -> Iterator[Row]:
    # Anew for every set of labels, since evidence keeps what was fitted to it.
    splits = list(groups_left_out(collection))
    for measure in collection.measures:
        errors = errors_of(splits, measure, options)
        yield {
            "measure": str(measure),
            "log loss": log_loss(splits, measure, options),
            "RMSE": errors.rmse,
            "held": errors.held,
            "half-width": errors.half_width,
        }


def _number(cell: object) -> float:
    return float(str(cell))


def labels_of(folder: Path, name: str) -> Labels | None:
    """Read a set of labels; shuffled ones are those of GPT-4 on other documents."""
    if name == NONE:
        return None
    file = SETS[folder.name][0] if name == SHUFFLED else name
    labels = read_labels(folder / "machine-labels" / f"{file}.gz")
    if name != SHUFFLED:
        return labels
    return replace(labels, grade=np.random.default_rng(5).permutation(labels.grade))


def log_loss(
    splits: Sequence[Split], measure: pw.Measure, options: RelevanceModelTreatment
) -> float:
    """Return the mean log loss of relevance, over what each left-out group alone brought in."""
    parts = []
    for split in splits:
        model = fit_model(split.reduced, measure, options).model
        level = getattr(measure, "rel", 1)
        official = document_codes(split.full)[model.documents.rows]
        asked = (model.documents.best <= 10) & (official >= 0)
        chance = model.probabilities()[asked][:, split.reduced.scale >= level].sum(axis=1)
        relevant = split.full.scale[official[asked]] >= level
        right = np.where(relevant, chance, 1 - chance)
        parts.append(-np.log(np.clip(right, 1e-9, 1)))
    return float(np.concatenate(parts).mean())


def missed_bars(row: Row) -> str:
    """Say which bars a row misses, and by how much."""
    if row["depth"] == 20 or row["labels"] == NONE:
        return ""
    over = {"RMSE": _number(row["RMSE, ratio"]) - _RMSE, "held": 0.9 - _number(row["held"])}
    if row["labels"] == "gpt4-umbrela":
        over["log loss"] = _number(row["loss, ratio"]) - _LOSS
    return ", ".join(f"{name} by {excess:.4f}" for name, excess in over.items() if excess > 0)
