"""What the room of studies offers, and how its functions are called."""

import inspect
from pathlib import Path

from tests.each import over
from tests.finding_examples_studies import EXAMPLES

import poolwise as pw

FUNCTIONS = [name for name in pw.studies.__all__ if inspect.isfunction(getattr(pw.studies, name))]
ONE_MEASURE = {"replay_orders", "estimate_by_unjudged", "pooling_bias"}
"""Studies that score by a single measure."""
OWN_MEASURE = {"converge_bounds", "undiscovered"}
"""Studies that are about RBP, or about documents, and take no measure."""
REGISTRIES = ("CELLS", "FORMS", "GRID_NUMBERS", "MATCHES", "SETS", "TAUS")


def parameters(name: str) -> dict[str, inspect.Parameter]:
    """Return the parameters of a function of the room."""
    return dict(inspect.signature(getattr(pw.studies, name)).parameters)


@over("name", FUNCTIONS)
def test_judgments_come_before_runs(name: str) -> None:
    """Where a study takes judgments and runs, it takes them in this order, and measures third."""
    third = "measure" if name in ONE_MEASURE else "measures"
    names = list(parameters(name))
    if {"judgments", "runs"} <= set(names):
        assert names[:2] == ["judgments", "runs"]
        assert names[2] == third or name in OWN_MEASURE


@over("name", FUNCTIONS)
def test_every_study_has_the_same_seed(name: str) -> None:
    """Whatever draws at random has the seed 1 unless told otherwise, as a keyword."""
    rng = parameters(name).get("rng")
    assert rng is None or (rng.default, rng.kind) == (1, inspect.Parameter.KEYWORD_ONLY)


@over("name", FUNCTIONS)
def test_no_function_has_the_name_of_a_module(name: str) -> None:
    """A name of the room means one thing: a function, or a module."""
    folder = Path(pw.studies.__file__).parent
    assert name not in {path.stem for path in folder.rglob("*")}


@over("name", REGISTRIES)
def test_registries_say_what_each_choice_is(name: str) -> None:
    """Every choice of a study has a summary."""
    assert all(isinstance(k, str) and v for k, v in getattr(pw.studies, name).items())


@over("cls", EXAMPLES, ids=lambda cls: cls.__name__)
def test_a_finding_prints_what_its_columns_hold(cls: type) -> None:
    """Columns are plain values of one length; the text has every table and every sentence."""
    finding = EXAMPLES[cls]()
    assert type(finding) is cls
    columns = finding.columns()
    assert len({len(cells) for cells in columns.values()}) == 1
    kinds = {type(cell) for cells in columns.values() for cell in cells}
    assert kinds <= {str, int, float, bool, type(None)}
    text = " ".join(str(finding).split())
    for sentence in finding.sentences():
        assert sentence in text
        assert sentence.endswith(".")
    assert all(pw.render(table).split("\n")[0] in str(finding) for table in finding.tables())
    assert len(repr(finding)) <= 100


def test_seeds_and_draws_are_part_of_the_provenance() -> None:
    """A result says its seed and how often it drew; the state of a Generator has no name."""
    drawn = {
        pw.studies.SwapRates: "draws",
        pw.studies.Predictivity: "partitions",
        pw.studies.Repartitions: "partitions",
        pw.studies.FalseNegatives: "samples",
        pw.studies.ReferenceStability: "samples",
        pw.studies.ComparabilityStudy: "partitions",
    }
    for cls, name in drawn.items():
        options = dict(EXAMPLES[cls]().provenance.options)
        assert (options["seed"], options[name]) == (1, 20)
