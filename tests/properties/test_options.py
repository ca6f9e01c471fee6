"""An option is bound in one place: checked by name, recorded where it differs, and documented."""

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.each import over

import poolwise as pw
from poolwise.errors import OptionError
from poolwise.provenance import recorded

ROOMS = (
    *("provenance", "results", "collection", "evidence", "measures", "scores"),
    *("findings", "judging", "studies", "store", "workflows", "views"),
)
QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 1, "a": 0}}
LISTS = {
    "bm25": {"1": {"a": 3.0, "b": 2.0, "x": 1.0}, "2": {"c": 2.0, "y": 1.0}},
    "dense": {"1": {"x": 3.0, "a": 2.0}, "2": {"a": 2.0, "c": 1.0}},
}
MADE = pw.simulate(systems=6, topics=12, depth=30, rng=2)
TABLE = pw.score(pw.align(MADE.judgments, MADE.runs), "P@5")


def public_functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield every public function, by the first door that offers it."""
    seen: set[int] = set()
    for door in (pw, *(getattr(pw, room) for room in ROOMS)):
        for name in door.__all__:
            value = getattr(door, name)
            if inspect.isfunction(value) and id(value) not in seen:
                seen.add(id(value))
                yield f"{door.__name__}.{name}", value


def with_options() -> dict[str, Callable[..., Any]]:
    """Return the public functions that take options."""
    return {
        name: function
        for name, function in public_functions()
        if any(p.kind is p.KEYWORD_ONLY for p in inspect.signature(function).parameters.values())
    }


WITH_OPTIONS = with_options()
TYPED = {"poolwise.workflows.trec_eval_scores": "TrecEvalOptions is one typed value"}
"""Where ``options`` is no bag, and why."""


def test_no_public_function_takes_a_bag_of_options() -> None:
    """Options are written out: no ``**options``, and no mapping that holds some of them."""
    bags = [
        f"{name}({parameter})"
        for name, function in public_functions()
        if name not in TYPED
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind is parameter.VAR_KEYWORD
        or parameter.name == "options"
        or (parameter.name == "reading" and "Reading" not in str(parameter.annotation))
    ]
    assert bags == []


def test_no_method_of_a_public_class_takes_a_bag_of_options() -> None:
    """Provenance alone takes whatever was asked, since it is the record of it."""
    exempt = {"with_options"}
    bags = {
        f"{value.__name__}.{name}"
        for door in (pw, *(getattr(pw, room) for room in ROOMS))
        for value in map(door.__getattr__, door.__all__)
        if inspect.isclass(value)
        for name, method in inspect.getmembers(value, inspect.isfunction)
        if name not in exempt and method.__module__.startswith("poolwise")
        for parameter in inspect.signature(method).parameters.values()
        if parameter.kind is parameter.VAR_KEYWORD and not name.startswith("_")
    }
    assert bags == set()


def test_every_public_function_with_options_binds_them_once() -> None:
    """None checks and records its options by hand."""
    assert len(WITH_OPTIONS) > 100
    assert [name for name, function in WITH_OPTIONS.items() if not is_recorded(function)] == []


@pytest.mark.parametrize("noun", [pw.workflows.Campaign, pw.workflows.Journal, pw.workflows.Ledger])
def test_what_lasts_binds_the_options_of_its_methods_as_functions_do(noun: type) -> None:
    """Campaigns, journals and ledgers check and record what they are asked."""
    methods = {
        name: getattr(method, "__func__", method)
        for name, method in inspect.getmembers(noun, inspect.isroutine)
        if not name.startswith("_")
        and any(p.kind is p.KEYWORD_ONLY for p in inspect.signature(method).parameters.values())
    }
    assert len(methods) > 1
    assert [name for name, method in methods.items() if not is_recorded(method)] == []


def is_recorded(function: Callable[..., Any]) -> bool:
    """Say whether a function is bound by the decorator."""
    return function.__code__.co_filename == recorded(lambda: None).__code__.co_filename  # type: ignore[attr-defined]


def said_of_misspelling(function: Callable[..., Any], option: str) -> str:
    """Return the error for an option that is spelled otherwise."""
    with pytest.raises(OptionError) as error:
        function(**{f"{option}_x": 1})
    return str(error.value)


def test_a_misspelt_option_is_our_error() -> None:
    """It names the function that was called, and the option that may have been meant."""
    options = {
        name: next(
            p.name
            for p in inspect.signature(function).parameters.values()
            if p.kind is p.KEYWORD_ONLY
        )
        for name, function in WITH_OPTIONS.items()
    }
    said = {name: said_of_misspelling(WITH_OPTIONS[name], options[name]) for name in options}
    wrong = {
        name: text
        for name, text in said.items()
        if not text.startswith(f"{WITH_OPTIONS[name].__name__}: ")
        or f"'{options[name]}_x'. Hint: " not in text
        or options[name] not in text.partition("Hint: ")[2]
    }
    assert wrong == {}


def test_a_call_that_lacks_what_it_needs_is_our_error() -> None:
    """What is missing is named, with what the function takes."""
    with pytest.raises(OptionError, match=r"evaluate: missing .*'runs'.*judgments, runs, measures"):
        pw.evaluate(QRELS)  # type: ignore[call-arg]


def test_a_type_error_inside_stays_what_it_is() -> None:
    """Only a call that does not fit the signature is called one."""

    @recorded
    def broken(*, depth: int = 1) -> int:
        """Fail inside."""
        return depth + "a"  # type: ignore[operator]

    with pytest.raises(TypeError, match="unsupported operand"):
        broken(depth=2)


@given(
    depth=st.integers(1, 9),
    share=st.floats(0, 1),
    rng=st.integers(0, 99),
    names=st.lists(st.text("ab", min_size=1), max_size=3),
)
def test_provenance_has_every_option_that_is_not_its_default(
    depth: int, share: float, rng: int, names: list[str]
) -> None:
    """And the seed, whether it is the default or not; progress changes no number."""

    @recorded
    def some(
        table: pw.ScoreTable,
        *,
        depth: int = 5,
        share: float = 0.5,
        runs: tuple[str, ...] = (),
        rng: int = 1,
        progress: object = None,
    ) -> pw.ScoreTable:
        """Return the table."""
        del depth, share, runs, rng, progress
        return table

    table = pw.ScoreTable.from_matrix([[0.5]], systems=["a"], topics=["1"], measure="AP")
    asked = some(table, depth=depth, share=share, runs=tuple(names), rng=rng, progress=print)
    expected: dict[str, object] = {"depth": depth, "share": share, "runs": tuple(names)}
    usual = {"depth": 5, "share": 0.5, "runs": ()}
    expected = {name: value for name, value in expected.items() if value != usual[name]}
    assert dict(asked.provenance.options) == expected | {"seed": rng}
    assert table.provenance.options == ()


HALVES = {topic: "odd" if int(topic) % 2 else "even" for topic in MADE.judgments.topics}
PAIRS = {topic: str(int(topic) // 2) for topic in MADE.judgments.topics}
CASES: dict[str, tuple[Callable[[], Any], dict[str, object]]] = {
    "audit": (lambda: pw.audit(QRELS, LISTS, rel=2), {"rel": 2}),
    "standardize": (
        lambda: pw.standardize(pw.evaluate(QRELS, LISTS, "P@2")["P@2"], mapping="normal"),
        {"mapping": "normal"},
    ),
    "evaluate": (lambda: pw.evaluate(QRELS, LISTS, "P@2", bounds="naive"), {"bounds": "naive"}),
    "its table": (
        lambda: pw.evaluate(QRELS, LISTS, "P@2", bounds="naive")["P@2"],
        {"bounds": "naive"},
    ),
    "a randomized study": (
        lambda: pw.studies.discriminate_pools(
            MADE.truth,
            MADE.runs,
            ["AP"],
            pool_depths=[5, 10],
            test="randomization",
            resamples=50,
            rng=3,
        ),
        {"test": "randomization", "resamples": 50, "seed": 3},
    ),
    "by slice": (
        lambda: pw.workflows.evaluate_by_slice(
            MADE.judgments, MADE.runs, "P@2", by=HALVES, bounds="naive"
        )["P@2"],
        {"bounds": "naive", "by": "slice"},
    ),
    "differences by slice": (
        lambda: pw.workflows.compare_by_slice(
            MADE.judgments, MADE.runs, "P@2", by=HALVES, correction="none", baseline="bm25-1"
        )["P@2"],
        {"correction": "none", "baseline": "bm25-1"},
    ),
    "by cluster": (
        lambda: pw.workflows.compare_by_cluster(
            MADE.judgments, MADE.runs, "P@2", clusters=PAIRS, test="wilcoxon", alpha=0.1
        )["P@2"],
        {"test": "wilcoxon", "alpha": 0.1, "clusters": 7},
    ),
    "a card": (
        lambda: pw.make_card(MADE.judgments, MADE.runs, "P@2", ddof=1, rng=3),
        {"ddof": 1, "seed": 3},
    ),
    "labels": (
        lambda: pw.agree({"gpt": QRELS}, against=QRELS, scale=(0, 1), rng=5),
        {"scale": (0, 1), "seed": 5},
    ),
    "a gate with labels": (
        lambda: pw.gate(
            MADE.truth,
            MADE.runs.select(runs=["ql-1"]),
            "P@5",
            baseline=MADE.runs.select(runs=["bm25-1"]),
            labels=pw.Labels.of(MADE.truth, "gpt"),
            assume_random=True,
        ),
        {"assume_random": True},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_was_asked_is_in_the_provenance(case: str) -> None:
    """Whatever changed a number is recorded, by the name it was asked by."""
    call, expected = CASES[case]
    options = dict(call().provenance.options)
    assert {name: options.get(name) for name in expected} == expected


SCORES = pw.evaluate(QRELS, LISTS, "P@2")["P@2"]


@pytest.mark.parametrize("test", ["t", "randomization"])
@pytest.mark.parametrize(
    "call",
    [
        lambda test: pw.compare_scores(SCORES, test=test, rng=1),
        lambda test: pw.table([SCORES], test=test, rng=1),
        lambda test: pw.findings.discriminate_all([SCORES], test=test, rng=1),
        lambda test: pw.studies.discriminate_pools(
            MADE.truth, MADE.runs, ["AP"], pool_depths=[5, 10], test=test, rng=1
        ),
    ],
)
def test_a_test_records_what_it_draws_and_only_that(call: Callable[[str], Any], test: str) -> None:
    """A seed beside a t test would say that chance had a part in it."""
    options = dict(call(test).provenance.options)
    drawn = {name: options[name] for name in ("resamples", "seed") if name in options}
    assert drawn == ({"resamples": 10_000, "seed": 1} if test == "randomization" else {})


def test_options_are_recorded_once_and_not_where_they_say_nothing() -> None:
    """A baseline goes by one name; exact ranges are what everybody expects."""
    compared = pw.compare(QRELS, LISTS, "P@2", baseline="bm25")["P@2"].provenance
    assert dict(compared.options)["baseline"] == "bm25"
    assert "baselines" not in dict(compared.options)
    (scored,) = pw.workflows.score_runs(QRELS, LISTS, ["P@2"], bounds="exact")
    assert "bounds" not in dict(scored.provenance.options)
    assert pw.provenance.Provenance().with_options(also=(), p=0.9).lines()[-1] == "p 0.9"


def test_judgments_that_are_an_option_are_named_by_where_they_come_from() -> None:
    """Not by the kind of object that they are."""
    study = pw.studies.discriminate_pools(
        MADE.truth, MADE.runs, ["AP"], pool_depths=[5], reference=MADE.judgments
    )
    assert dict(study.provenance.options)["reference"] == MADE.judgments.source.path


def test_the_depth_that_was_read_off_is_recorded() -> None:
    """What the model infers of the pool stands beside what it was told."""
    result = pw.estimate(MADE.judgments, MADE.runs, "P@5")["P@5"]
    options = dict(result.provenance.options)
    model = dict(result.scores["model"].provenance.options)
    assert str(options["pool_depth"]).startswith("13 (read off")
    assert str(options["pooled"]).startswith("5 of 6 runs")
    assert (options["pool_depth"], options["pooled"]) == (model["pool_depth"], model["pooled"])


READ = pw.read_runs({"a": {"1": {"x": 1.0, "y": 1.0}}})
GRADED = pw.read_judgments({"1": {"x": 1, "y": -1}})


@pytest.mark.parametrize(
    ("judgments", "runs", "reading"),
    [
        ({"1": {"x": 1}}, READ, {"ties": "docid"}),
        ({"1": {"x": 1}}, READ, {"names": "file"}),
        (GRADED, {"a": {"1": {"x": 1.0}}}, {"negative": "zero"}),
    ],
)
def test_how_files_are_read_is_an_error_with_what_is_read_already(
    judgments: Any, runs: Any, reading: dict[str, str]
) -> None:
    """No option of reading is passed over: it works, or it is refused."""
    with pytest.raises(OptionError, match=r"read already.*Hint"):
        pw.evaluate(judgments, runs, "P@1", reading=pw.Reading(**reading))


def test_reading_decides_where_it_can() -> None:
    """The same option on what is not read yet gives the other order."""
    lists = {"a": {"1": {"x": 1.0, "y": 1.0}}}
    result = pw.evaluate({"1": {"x": 1}}, lists, "P@1", reading=pw.Reading(ties="docid"))
    assert result["P@1"].means().tolist() == [1.0]
    assert result.provenance.tie_rule == "docid"


def test_a_wrong_value_of_reading_is_refused_at_once() -> None:
    """Whether anything is read or not."""
    with pytest.raises(OptionError, match="ties: 'bogus'"):
        pw.Reading(ties="bogus")


@over(
    "call, hint",
    [
        (lambda: pw.evaluate(QRELS, LISTS, ties="docid"), r"Reading\(ties=…\)"),  # type: ignore[call-arg]
        (lambda: pw.similarity(LISTS, ties="a"), "use tied"),  # type: ignore[call-arg]
        (lambda: pw.studies.swap_rates(None, drwas=3), "use draws"),  # type: ignore[arg-type, call-arg]
        (lambda: pw.compare(QRELS, LISTS, baselines="bm25"), "use baseline"),  # type: ignore[call-arg]
        (lambda: pw.compare(QRELS, LISTS, seed=3), "use rng"),  # type: ignore[call-arg]
        (lambda: pw.compare_scores(TABLE, baselines="bm25-1"), "use baseline"),  # type: ignore[call-arg]
        (lambda: TABLE.select(systems=["bm25-1"]), "use runs"),  # type: ignore[call-arg]
        (lambda: pw.trec_eval(QRELS, LISTS, level=2), "use rel"),  # type: ignore[call-arg]
    ],
)
def test_an_old_or_neighbouring_name_leads_to_the_new_one(
    call: Callable[[], object], hint: str
) -> None:
    """The hint works when it is followed."""
    with pytest.raises(OptionError, match=hint):
        call()


def test_pooled_runs_may_stand_in_a_list() -> None:
    """A list is as good as a tuple."""
    how: dict[str, Any] = {"depth": 10, "treatments": ["model"]}
    some = list(MADE.pooled)
    listed = pw.estimate(MADE.judgments, MADE.runs, "P@5", pooled=some, **how)
    assert str(listed) == str(
        pw.estimate(MADE.judgments, MADE.runs, "P@5", pooled=MADE.pooled, **how)
    )


def test_no_record_holds_the_repr_of_an_object() -> None:
    """Groups are counted, treatments named."""
    result = pw.estimate(
        MADE.judgments, MADE.runs, "P@5", groups=MADE.groups, treatments=["condensed"]
    )
    said = " ".join(result.provenance.lines())
    assert "Groups(" not in said
    assert len(said) < 400


def test_documentation_has_a_text_for_each_shared_parameter() -> None:
    """What the docstring leaves out is filled in, in the order of the signature."""
    text = inspect.getdoc(pw.evaluate) or ""
    assert text.index("\njudgments\n") < text.index("\nruns\n") < text.index("\nreading\n")
    assert "Returns\n-------" in text
