"""Every Finding keeps the one protocol: columns, sentences, frame, provenance, one printout."""

import importlib
import importlib.util
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator
from dataclasses import FrozenInstanceError, fields
from functools import cache
from html import escape
from types import ModuleType

import pytest
from tests.finding_examples import FINDING_EXAMPLES, HOSTILE
from tests.properties.test_claims_of_outputs import Page, says_without_claim

import poolwise
from poolwise.provenance._provenance import Provenance
from poolwise.results._finding import Finding

ROOMS = (
    "provenance",
    "results",
    "collection",
    "evidence",
    "measures",
    "scores",
    "findings",
    "judging",
    "studies",
    "store",
    "workflows",
)

OF_OTHER_THINGS = re.compile(
    "[Ww]hatever (follows|k is|the number of topics)|^cannot$|[0-9]+ cannot"
)
"""What such words say of others than unjudged documents: of ranks below a list, or that an assessor
cannot judge."""

PLAIN = (str, int, float, bool, type(None))
"""What a cell may be, exactly: a number of numpy is not plain."""


def modules() -> Iterator[ModuleType]:
    """Import every module of the rooms that are there."""
    for room in (f"poolwise.{name}" for name in ROOMS):
        if importlib.util.find_spec(room) is None:
            continue
        package = importlib.import_module(room)
        yield package
        for module in pkgutil.walk_packages(package.__path__, f"{room}."):
            # The native library lies beside the modules, and is none that Python could import.
            spec = importlib.util.find_spec(module.name)
            if spec is not None and str(spec.origin).endswith(".py"):
                yield importlib.import_module(module.name)


def findings() -> list[type[Finding]]:
    """Return the concrete classes of Findings, each where it is defined."""
    classes = [
        value
        for module in modules()
        for value in vars(module).values()
        if inspect.isclass(value) and value.__module__ == module.__name__
    ]
    concrete = [c for c in classes if issubclass(c, Finding) and not inspect.isabstract(c)]
    return sorted(concrete, key=lambda c: c.__qualname__)


FINDINGS = findings()
Law = Callable[[type[Finding]], None]
LAWS: list[Law] = []


def law(check: Law) -> Law:
    """Hold every finding to what a function asserts of its class."""
    LAWS.append(check)
    return check


@cache
def example(kind: type[Finding]) -> Finding:
    """Return the example of a class."""
    return FINDING_EXAMPLES[kind]()


def squeezed(text: str) -> str:
    """Return text without any space, as if it had not been wrapped."""
    return "".join(text.split())


def test_every_finding_has_an_example() -> None:
    """A class of results without an example would go unchecked."""
    assert not [c.__name__ for c in FINDINGS if c not in FINDING_EXAMPLES]


def test_examples_are_of_their_class() -> None:
    """An example shows the class it stands for, and that class is found in the rooms."""
    for kind in FINDING_EXAMPLES:
        assert type(example(kind)) is kind
        assert kind in FINDINGS


def test_there_is_one_printout() -> None:
    """No class prints itself in a way of its own."""
    for kind in FINDINGS:
        own = {"__str__", "__repr__", "_repr_html_", "to_frame"} & set(vars(kind))
        assert not own, kind
        assert kind.__doc__, kind


@law
def columns_are_tidy(kind: type[Finding]) -> None:
    """Columns have one length, and hold plain values of Python."""
    columns = example(kind).columns()
    assert columns
    assert len({len(cells) for cells in columns.values()}) == 1
    odd = {(n, type(c)) for n, cells in columns.items() for c in cells if type(c) not in PLAIN}
    assert not odd
    assert all(re.fullmatch(r"[a-z][A-Za-z0-9_.]*", name) for name in columns)


@law
def columns_are_complete(kind: type[Finding]) -> None:
    """There is a row, and each number or text of a finding is printed or in a column."""
    finding = example(kind)
    columns, said = finding.columns(), " ".join([*finding.sentences(), str(finding)])
    assert len(next(iter(columns.values()))) > 0
    cells = [cell for column in columns.values() for cell in column]
    cells += [value for _, value in finding.provenance.options]
    for field in fields(finding):
        value = getattr(finding, field.name)
        if type(value) in (str, int, float):
            words = f"{value:g}" if isinstance(value, float) else str(value)
            assert value in cells or words in said, field.name


@law
def sentences_are_whole(kind: type[Finding]) -> None:
    """Each starts with a capital, a number or a name, ends with a full stop, and has no gap."""
    finding = example(kind)
    sentences = finding.sentences()
    assert isinstance(sentences, tuple)
    assert sentences
    names = tuple({c for cells in finding.columns().values() for c in cells if isinstance(c, str)})
    for sentence in sentences:
        assert sentence[0].isupper() or sentence[0].isdigit() or sentence.startswith(names)
        assert sentence.endswith(".")
        assert not sentence.endswith("..")
        assert "  " not in sentence
        assert "\n" not in sentence
        assert not re.search(r"\b(nan|inf|None|True|False|array|np)\b", sentence)


@law
def the_answer_comes_first(kind: type[Finding]) -> None:
    """Whatever prints a finding begins with its answer, or with rows where they are the answer."""
    finding = example(kind)
    answer, page = finding.answer(), finding._repr_html_().partition("</style>")[2].lstrip()
    first = " ".join(str(finding).split()).startswith
    if answer:
        assert first(" ".join(answer.split()))
        assert page.startswith("<p")
        assert str(finding).count(answer) <= 1 + sum(answer in t.title for t in finding.tables())
    else:
        assert page.startswith("<table")
        # Lines may end within a compound.
        bare = "".join(str(finding).split())
        assert all("".join(said.split()) in bare for said in finding.sentences())


@law
def nothing_is_claimed_without_a_claim(kind: type[Finding]) -> None:
    """In sentences, below tables and in notebooks, *whatever*, *cannot* and the like are claims."""
    finding = example(kind)
    notes = (note for table in finding.tables() for note in table.notes)
    said = [(text, getattr(text, "claims", ())) for text in (*finding.sentences(), *notes)]
    for texts in (said, Page(finding._repr_html_()).told):
        without = [(OF_OTHER_THINGS.sub("", text), claims) for text, claims in texts]
        assert not says_without_claim(without), without


@law
def frames_have_the_columns(kind: type[Finding]) -> None:
    """Frames have the columns in their order, and as many rows."""
    columns = example(kind).columns()
    for backend in ("pandas", "polars", "pyarrow"):
        frame = example(kind).to_frame(backend=backend)
        names = frame.column_names if backend == "pyarrow" else list(frame.columns)
        assert names == list(columns), backend
        assert len(frame) == len(next(iter(columns.values()))), backend


def test_the_repr_is_one_line() -> None:
    """A list of findings stays readable."""
    for kind in FINDING_EXAMPLES:
        text = repr(example(kind))
        assert text.startswith(f"<{kind.__name__}: ")
        assert text.endswith(">")
        assert "\n" not in text
        assert len(text) <= 100, text


@law
def the_printout_holds_tables_and_sentences(kind: type[Finding]) -> None:
    """Whoever prints a finding reads its numbers and every sentence."""
    finding = example(kind)
    text = str(finding)
    assert text.strip()
    for sentence in finding.sentences():
        assert squeezed(sentence) in squeezed(text)
    assert finding.tables()
    for table in finding.tables():
        assert table.rows
        for cell in table.texts()[0]:
            assert squeezed(cell) in squeezed(text)
    assert not re.search(r"\bnan\b", text)


@law
def names_are_escaped_on_a_page(kind: type[Finding]) -> None:
    """Names that look like a script are shown as text, and not left out."""
    finding = example(kind)
    page = finding._repr_html_()
    assert page.startswith('<div class="poolwise">')
    assert "<script" not in page
    assert (HOSTILE in squeezed(str(finding))) <= (escape(HOSTILE) in page)
    for sentence in finding.sentences():
        assert escape(sentence) in page


def test_names_do_occur() -> None:
    """Some of the examples show names, or nothing would be tested of them."""
    shown = [kind for kind in FINDING_EXAMPLES if HOSTILE in str(example(kind))]
    assert len(shown) >= 4


def test_findings_do_not_change() -> None:
    """A result is what it was when it was found."""
    for kind in FINDING_EXAMPLES:
        finding = example(kind)
        for field in fields(finding):
            with pytest.raises(FrozenInstanceError):
                setattr(finding, field.name, None)


@law
def findings_know_where_they_come_from(kind: type[Finding]) -> None:
    """Each has a provenance, whose options can be printed and made again."""
    finding = example(kind)
    assert isinstance(finding.provenance, Provenance)
    for name, value in finding.provenance.options:
        assert name.isidentifier()
        assert isinstance(value, str | int | float | tuple)
    assert all(finding.provenance.lines())


def test_the_rooms_are_walked() -> None:
    """The walk meets the rooms that are there, and their sub-rooms."""
    names = {module.__name__ for module in modules()}
    assert "poolwise.findings.similarity._run_overlaps" in names
    assert "poolwise.collection._pools" in names
    assert poolwise.__name__ not in names


PERSISTENCES = ("AgreementCurve", "PersistenceMatch", "PersistenceStudy", "RBPUncertainty")
"""Findings whose p is that of RBP or RBO."""
P_VALUES = ("p", "pvalue", "p adjusted", "p corrected", "corrected")


@law
def no_table_for_people_shows_a_p_value_of_0(kind: type[Finding]) -> None:
    """P values too small for the digits are said to be below them: no p value is 0."""
    for table in example(kind).tables():
        for c, column in enumerate(table.columns):
            holds_p = column.title.split(",")[0] in P_VALUES and kind.__name__ not in PERSISTENCES
            if holds_p and table.is_number(c):
                assert column.write(1e-9) == "<0.0001", column.title


@pytest.mark.parametrize(
    "kind", [c for c in FINDINGS if c in FINDING_EXAMPLES], ids=lambda c: c.__name__
)
def test_a_finding_keeps_every_law(kind: type[Finding]) -> None:
    """Whichever it breaks are named, all of them."""
    broken = {check.__name__: error for check in LAWS if (error := failure(check, kind))}
    assert not broken


def failure(check: Law, kind: type[Finding]) -> str:
    """Return what is wrong with a finding, or nothing."""
    try:
        check(kind)
    except Exception as error:  # noqa: BLE001 -- a law may fail in any way
        return repr(error)
    return ""


def test_a_broken_law_is_named() -> None:
    """A finding that broke one would be seen."""

    def has_no_columns(kind: type[Finding]) -> None:
        assert not example(kind).columns()

    assert len(LAWS) == 10
    assert "AssertionError" in failure(has_no_columns, next(iter(FINDING_EXAMPLES)))
