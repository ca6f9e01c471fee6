"""How often drawn grades give each score, against theory."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.properties.strategies import evidences

import poolwise as pw
from poolwise.arrays import Floats
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._grades import POOLED, UNJUDGED
from poolwise.evidence.unknowns._label_draws import draw_labels
from poolwise.evidence.unknowns.relevance_model._relevance import TopicGrades
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.scores._score_table import ScoreTable
from poolwise.scores.treatments._drawn_scores import (
    DrawnScores,
    OpenLists,
    ScoreDistribution,
    bootstrap,
    score_draws,
)


@pytest.fixture(scope="module")
def found() -> pw.scores.ScoreDistribution:
    """Return the scores of a list with three unjudged documents, each relevant with chance 1/2."""
    evidence = pw.Evidence.from_grades([[None, None, None, 1]], judged=[1] * 4 + [0] * 4)
    return pw.scores.bootstrap(evidence, "P@4", rng=3, prior="pool", draws=8000)


def test_shares_are_binomial(found: pw.scores.ScoreDistribution) -> None:
    """Three fair coins give no, one, two and three relevant documents with 1, 3, 3, 1 in 8."""
    scores = found.at(found.plain.systems[0], found.plain.topics[0])
    assert scores.values == pytest.approx([0.25, 0.5, 0.75, 1])
    assert scores.shares == pytest.approx([1 / 8, 3 / 8, 3 / 8, 1 / 8], abs=0.02)
    assert scores.plain == 0.25


def test_mode_and_percentile_are_those_of_the_whole(found: pw.scores.ScoreDistribution) -> None:
    """One list has the same estimate and range as in the table of all."""
    scores = found.at(found.plain.systems[0], found.plain.topics[0])
    assert scores.mode == found.mode().item()
    assert scores.reached == found.percentile(95).item()
    assert np.sum(scores.shares) == pytest.approx(1)


def test_unknown_runs_and_topics_are_refused(found: pw.scores.ScoreDistribution) -> None:
    """There is a distribution for the runs and topics that were scored."""
    with pytest.raises(OptionError, match="run"):
        found.at("nobody", found.plain.topics[0])
    with pytest.raises(OptionError, match="topic"):
        found.at(found.plain.systems[0], "none")


grades = st.one_of(st.none(), st.integers(0, 2))
rankings = st.lists(st.lists(grades, min_size=1, max_size=6), min_size=1, max_size=3)
MEASURES = ("nDCG@4", "nDCG(dcg='exp-log2')@5", "RBP(p=0.8)", "P@3", "DCG@4", "AP", "ERR@4", "Q")


def distribution(values: list[float]) -> ScoreDistribution:
    table = ScoreTable.from_matrix([[0.0]], systems=["a"], topics=["1"], measure="P@2")
    return ScoreDistribution(table, np.array([[values]]))


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("joint", [False, True])
def test_scores_are_those_of_the_drawn_rankings(measure: str, *, joint: bool) -> None:
    """Adding up what drawn documents gain gives the score of the ranking they are drawn into."""
    lists = [[None, 2, None, 0, None], [1, None, 0], [None], [0, 1, 2, 0, 1]]
    evidence = Evidence.from_grades(lists, judged=[0, 0, 0, 1, 1, 1, 2, 2, 2])
    asked = parse_measure(measure)
    bootstrapped = bootstrap(evidence, asked, rng=3, draws=50, joint=joint)
    for part in draw_labels(asked.cut(evidence), rng=3, draws=50, joint=joint):
        scores = asked.score_block(part.block).T
        assert bootstrapped.values[part.systems, 0] == pytest.approx(scores, abs=1e-12)


@given(lists=rankings, measure=st.sampled_from(MEASURES), seed=st.integers(0, 99))
@settings(deadline=None, max_examples=50)
def test_a_run_without_unjudged_documents_has_its_plain_score(
    lists: list[list[int | None]], measure: str, seed: int
) -> None:
    """Where nothing is unjudged every draw, mode, mean and percentile is the plain score."""
    filled = [[g if g is not None else 0 for g in ranking] for ranking in lists]
    bootstrapped = bootstrap(Evidence.from_grades([*filled, [None]]), measure, rng=seed, draws=7)
    plain = bootstrapped.plain.value[:-1]
    for estimate in (bootstrapped.mode(), bootstrapped.mean(), bootstrapped.percentile(75)):
        assert np.array_equal(estimate[:-1], plain, equal_nan=True)


def test_the_distribution_is_that_of_the_algorithm() -> None:
    """The mean score agrees with the exact mean over all sequences of target grades."""
    evidence = Evidence.from_grades([[None, 1, None, None]], judged=[0] * 5 + [1] * 3 + [2] * 2)
    probabilities, exact = np.array([0.5, 0.3, 0.2]), 0.0
    for targets in product(range(3), repeat=3):
        left, labels = [5, 2, 2], []
        for target in targets:
            label = next(g for g in range(target, -1, -1) if g == 0 or left[g] > 0)
            left[label] -= 1
            labels.append(label)
        ranking = Evidence.from_grades([[labels[0], 1, *labels[1:]]], judged=[0] * 5 + [1] * 3)
        exact += probabilities[list(targets)].prod() * parse_measure("DCG@4").score(ranking).item()
    bootstrapped = bootstrap(evidence, "DCG@4", rng=8, prior="pool", draws=40_000)
    spread = bootstrapped.values.std() / np.sqrt(40_000)
    assert bootstrapped.mean().item() == pytest.approx(exact, abs=4 * spread)


def test_the_mode_is_the_most_frequent_score() -> None:
    """Values equal to 1e-12 count as one; of equally frequent ones the smaller wins."""
    assert distribution([0.5, 0.3, 0.5, 0.7]).mode().item() == 0.5
    assert distribution([0.7, 0.3, 0.7, 0.3]).mode().item() == 0.3
    assert distribution([0.2, 0.9, 0.9 + 1e-14, 0.2 + 1e-3]).mode().item() == 0.9
    assert distribution([0.4]).mode().item() == 0.4


def test_percentiles_are_scores_that_occur() -> None:
    """A percentile is the smallest score that so many draws do not exceed."""
    scores = distribution([i / 100 for i in range(1, 101)])
    assert [scores.percentile(q).item() for q in (1, 75, 90, 95, 100)] == [0.01, 0.75, 0.9, 0.95, 1]
    assert distribution([0.1, 0.2, 0.3]).percentile(34).item() == 0.2


def test_an_undefined_score_stays_undefined() -> None:
    """A topic without relevant documents has no nDCG, however grades are drawn."""
    evidence = Evidence.from_grades([[None, 0]], judged=[0], scale=[1])
    bootstrapped = bootstrap(evidence, "nDCG@2", rng=1, draws=5)
    assert np.isnan([bootstrapped.mode(), bootstrapped.mean(), bootstrapped.percentile(90)]).all()


def test_no_score_leaves_the_naive_bounds() -> None:
    """Drawn grades come from the pool, so scores stay within B23's naive bounds."""
    random = np.random.default_rng(2)
    lists = [[None if g > 2 else int(g) for g in row] for row in random.integers(0, 5, (20, 10))]
    evidence = Evidence.from_grades(lists, judged=[0] * 20 + [1] * 12 + [2] * 4)
    lower, upper = parse_measure("nDCG@10").naive_bounds(evidence)
    values = bootstrap(evidence, "nDCG@10", rng=1, draws=200).values
    assert (values >= lower[:, :, None] - 1e-12).all()
    assert (values <= upper[:, :, None] + 1e-12).all()


def test_a_table_spans_from_plain_score_to_percentile() -> None:
    """As in B23 §4.2 the range starts at the plain score; the value is the mode."""
    evidence = Evidence.from_grades([[None, 1, None]], judged=[0, 0, 1, 1, 1])
    bootstrapped = bootstrap(evidence, "nDCG@3", rng=4)
    table = bootstrapped.table(percentile=90)
    assert table.lower.item() == bootstrapped.plain.value.item()
    assert table.value.item() == bootstrapped.mode().item()
    assert table.upper.item() == bootstrapped.percentile(90).item()


@pytest.mark.parametrize("measure", ["Judged@10", "Bpref", "infAP"])
def test_measures_of_what_is_judged_are_refused(measure: str) -> None:
    """Drawing grades for a measure of judgedness has no meaning."""
    with pytest.raises(OptionError, match="grades cannot be drawn"):
        bootstrap(Evidence.from_grades([[None, 1]]), measure, rng=1)


@pytest.mark.parametrize("percent", [0, -5, 101])
def test_a_percentile_outside_its_range_is_refused(percent: float) -> None:
    """A percentile lies above 0 and at most at 100."""
    with pytest.raises(OptionError, match="percentile"):
        distribution([0.5]).percentile(percent)


def test_a_run_without_judged_documents_has_no_prior_of_its_own() -> None:
    """The prior of a run needs a judged document on some topic, or the run is named."""
    evidence = Evidence.from_grades([[1, None, 0], [None, None]], judged=[1, 0, 0])
    with pytest.raises(OptionError, match="run 'run2' has none in its first 2 ranks"):
        bootstrap(evidence, "P@2", rng=1, prior="run")
    assert bootstrap(evidence, "P@2", rng=1, prior="pool+run", draws=5).values.shape == (2, 1, 5)


def test_a_distribution_says_how_far_it_lies_above_the_plain_score() -> None:
    """Rows have mode, mean and percentiles by run and topic; sentences the run that gains most."""
    evidence = Evidence.from_grades([[None, 1, None], [1, 0, 0]], judged=[0, 0, 1, 1, 1])
    bootstrapped = bootstrap(evidence, "P@3", rng=4, draws=50)
    columns = bootstrapped.columns()
    assert columns["mode"] == bootstrapped.mode().ravel().tolist()
    assert columns["percentile90"] == bootstrapped.percentile(90).ravel().tolist()
    assert columns["plain"] == pytest.approx([1 / 3, 1 / 3])
    gained = (bootstrapped.mode() - bootstrapped.plain.value).mean()
    said = bootstrapped.sentences()
    assert said[0].startswith("Over 50 draws of grades for unjudged documents, the most frequent")
    assert f"P@3 is {gained:.4f} above the plain score on average over 2 runs" in said[0]
    assert f"for run1: {bootstrapped.mode()[0, 0]:.4f} against 0.3333" in said[1]
    options = {"seed": 4, "prior": "pool+run", "over": "topics", "draws": 50, "joint": False}
    assert dict(bootstrapped.provenance.options) == options


DRAWS = 3
DRAWN_BY = (
    *("P@3", "RBP(p=0.8)", "DCG@4", "nDCG@3", "nDCG", "enDCG@2", "nRBP(p=0.5)", "AP", "AP@3"),
    *("aAP@3", "AP(rel=2)", "Rprec", "R@3", "Q@4", "RR", "ERR@3", "Success@2"),
)


def best_ranks(evidence: Evidence, topic: int) -> dict[int, int]:
    """Return the best rank, from 1, of each document row without a grade on a topic."""
    number, place = evidence.locate(topic)
    block, best = evidence.blocks[number], {}
    for s, k in np.argwhere(np.isin(block.codes[:, place], (UNJUDGED, POOLED))).tolist():
        row = int(block.document_starts[place] + block.documents[s, place, k])
        best[row] = min(best.get(row, k + 1), k + 1)
    return best


def drawn(evidence: Evidence, rng: np.random.Generator) -> list[TopicGrades]:
    """Draw grades for all documents without one."""
    all_grades = []
    for topic in range(len(evidence.topics)):
        best = best_ranks(evidence, topic)
        rows = np.array(sorted(best), np.int64)
        labels = rng.integers(0, len(evidence.scale), (len(rows), DRAWS))
        ranks = np.array([best[row] for row in rows.tolist()], np.float32)
        all_grades.append(TopicGrades(topic, rows, ranks, labels))
    return all_grades


def judged_so(evidence: Evidence, grades: list[TopicGrades], draw: int, kept: Floats) -> Evidence:
    """Return the evidence under judgments that hold the drawn grades of the kept rows, too."""
    codes = np.full(len(evidence.document_ids), UNJUDGED, np.int8)
    for block in evidence.blocks:
        inside = block.documents >= 0
        codes[block.rows(block.documents)[inside]] = block.codes[inside]
    pool = evidence.pool.copy()
    for of_topic in grades:
        for row, label in zip(
            of_topic.rows.tolist(), of_topic.labels[:, draw].tolist(), strict=True
        ):
            if kept[row]:
                codes[row] = label
                pool[of_topic.topic, label] += 1
    return evidence.with_blocks(
        block.regrade(codes, pool[topics])
        for topics, block in zip(evidence.slices, evidence.blocks, strict=True)
    )


def expected(
    evidence: Evidence, measure: Measure, grades: list[TopicGrades], *, shared: bool
) -> Floats:
    """Score draw by draw, and run by run where each is scored by its own documents."""
    reach = getattr(measure, "cutoff", None)
    plain = measure.score(evidence)
    whole = np.empty((*plain.shape, DRAWS))
    for draw in range(DRAWS):
        for s in range(len(evidence.systems)):
            kept = np.zeros(len(evidence.document_ids))
            for block in evidence.blocks:
                lists = block.documents[:, :, :reach] if shared else block.documents[[s], :, :reach]
                kept[block.rows(lists)[lists >= 0]] = 1
            whole[s, :, draw] = measure.score(judged_so(evidence, grades, draw, kept))[s]
    whole[np.isnan(plain)] = np.nan
    return whole


@pytest.mark.parametrize("name", DRAWN_BY)
@pytest.mark.parametrize("shared", [True, False], ids=["all runs", "own documents"])
@given(evidence=evidences(), seed=st.integers(0, 99))
@settings(max_examples=6, suppress_health_check=[HealthCheck.too_slow])
def test_a_completion_scores_as_judgments_would(
    name: str, evidence: Evidence, seed: int, *, shared: bool
) -> None:
    """A drawn score is what the measure gives where the drawn grades are in the qrels."""
    measure = parse_measure(name)
    grades = drawn(evidence, np.random.default_rng(seed))
    kept = [g for g in grades if len(g.rows)]
    scores = score_draws(evidence, measure, kept, draws=DRAWS, shared=shared)
    truth = expected(evidence, measure, grades, shared=shared)
    np.testing.assert_allclose(scores, truth, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["P@2", "RBP(p=0.8)", "nDCG@2", "nDCG"])
@given(evidence=evidences())
@settings(max_examples=6, suppress_health_check=[HealthCheck.too_slow])
def test_documents_below_the_reach_leave_sums_as_they_are_to_the_last_bit(
    name: str, evidence: Evidence
) -> None:
    """Lists that are passed over have the scores that they would have got, and not nearly so."""
    measure = parse_measure(name)
    plain = measure.score(evidence)
    for of_topic in drawn(evidence, np.random.default_rng(1)):
        far = replace(of_topic, best=np.full(len(of_topic.rows), 1e6, np.float32))
        number, place = evidence.locate(of_topic.topic)
        block = evidence.blocks[number].part(np.arange(len(plain)), slice(place, place + 1))
        lists = OpenLists.of(block, far, 10, shared=True)
        whole = np.where(
            np.isnan(plain[:, [of_topic.topic]]),
            np.nan,
            lists.scores(measure, plain[:, of_topic.topic]),
        )
        scores = score_draws(evidence, measure, [far], draws=DRAWS, shared=True)
        assert np.array_equal(scores[:, of_topic.topic], whole, equal_nan=True)


def test_a_score_that_exactly_95_of_100_draws_do_not_exceed_is_reached() -> None:
    """Shares that add up to 0.95 but for rounding are 0.95."""
    shares = np.array([0.05] * 20)
    scores = DrawnScores(
        run="a", topic="1", measure=parse_measure("P@20"), draws=20,
        values=np.arange(20) / 20, shares=shares, plain=0.0,
    )  # fmt: skip
    assert scores.reached == 18 / 20
