"""Plant one-token faults, one at a time, and see which of them the tests catch: ``make faults``.

Each fault is planted in a scratch copy of the tree, never in place, and the tests of its room are
run there. The exit code is 1 if the tests catch a smaller share of them than ``LEAST_CAUGHT``, if
the text of a fault is not in its file exactly once, or if the tests fail without any fault: then
nothing is known of what they catch.

    python tests/planted_faults.py            # all of them
    python tests/planted_faults.py views      # those whose file has "views" in its path
    POOLWISE_FAULT_TREES=1 python tests/planted_faults.py   # one at a time, where others work, too
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
COPIED = (
    *("src", "tests", "reproduce", "validate", "bench", "docs"),
    *("README.md", "CITATION.cff", "Makefile", "pyproject.toml"),
)
DATA = os.environ.get("POOLWISE_DATA", str(ROOT.parent / "shared" / "data"))
"""Real data, which is not beside the copy."""
SCRATCH_TREES = int(os.environ.get("POOLWISE_FAULT_TREES", "2"))
"""How many faults are tried at once, each in a tree of its own."""
LEAST_CAUGHT = 0.95
LONGEST = 600
"""Seconds that the tests of one fault may take; a fault that hangs them is caught."""

RUN = """\
import sys
# An editable install would find the modules of its own tree before those of the copy.
sys.meta_path = [f for f in sys.meta_path if "ScikitBuild" not in type(f).__name__]
import poolwise, pytest
if not poolwise.__file__.startswith(sys.path[1]):
    sys.exit("the tests would run on another tree")
sys.exit(pytest.main(sys.argv[1:]))
"""
"""Runs pytest on the copy. The first place of the path is the folder, the second PYTHONPATH."""

OVERVIEW = ("tests/findings/test_measure_overview.py", "tests/findings/test_overview.py")
VERDICTS = ("tests/findings/test_pair_verdicts.py",)
PAGE = ("tests/views/report/test_page.py", "tests/properties/test_page_numbers.py")
FIGURES = ("tests/views/plots/test_figures.py",)
DRAWN = (*FIGURES, "tests/views/plots/test_drawn_marks.py")
CHARTS = ("tests/views/report/test_drawn_charts.py", "tests/views/report/test_nested_bars.py")
ORDERS = ("tests/judging/test_orders.py",)
COMPARISON = ("tests/findings/comparison",)
CAMPAIGNS = ("tests/workflows/campaigns/test_campaigns.py",)


class Fault(NamedTuple):
    """A text in a file of ``src/poolwise``, what takes its place, and the tests to run."""

    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.file}: {self.old!r} → {self.new!r}"


FAULTS = (
    # what is concluded, in findings
    Fault(
        "findings/comparison/_samples.py",
        "b**2 / (self.n_right - 1)",
        "b**2 / (self.n_left - 1)",
        ("tests/findings/comparison/test_samples.py",),
    ),
    Fault(
        "findings/comparison/_differences.py",
        "upper < -within",
        "lower < -within",
        ("tests/findings/comparison/test_differences.py",),
    ),
    Fault(
        "findings/comparison/_comparisons.py",
        "first, number = s, number + 1",
        "first, number = first, number + 1",
        ("tests/findings/comparison/test_comparisons.py",),
    ),
    Fault(
        "findings/comparison/_comparisons.py",
        "for among in (significant, ~significant)",
        "for among in (~significant, significant)",
        COMPARISON,
    ),
    Fault(
        "findings/_pair_verdicts.py",
        '"lowest": ranges.low,',
        '"lowest": ranges.high,',
        VERDICTS,
    ),
    Fault(
        "findings/_pair_verdicts.py",
        'verdict == "open"',
        'verdict != "a certain"',
        (*VERDICTS, *OVERVIEW),
    ),
    Fault(
        "findings/comparison/_comparison.py",
        '"wins": "losses"',
        '"wins": "ties"',
        VERDICTS,
    ),
    Fault(
        "findings/_pair_verdicts.py",
        "wanted & (comparisons.difference < 0)",
        "wanted & (comparisons.difference > 0)",
        VERDICTS,
    ),
    Fault(
        "findings/_measure_overview.py",
        "1 + self._never_behind.sum(axis=0)",
        "1 + self._never_behind.sum(axis=1)",
        OVERVIEW,
    ),
    Fault(
        "findings/_measure_overview.py",
        "len(self.systems) - self._never_behind.sum(axis=1)",
        "len(self.systems) - self._never_behind.sum(axis=0)",
        OVERVIEW,
    ),
    Fault(
        "findings/comparison/_differences.py",
        '"a never behind": lower >= -within',
        '"a never behind": upper <= within',
        ("tests/findings/comparison/test_differences.py",),
    ),
    Fault(
        "findings/_claims.py",
        "claim.lead(means) >= -claim.grounds.within",
        "claim.lead(means) > claim.grounds.within",
        ("tests/findings/test_claims.py",),
    ),
    Fault("findings/_measure_overview.py", "best[s] < worst[s]", "best[s] <= worst[s]", OVERVIEW),
    Fault(
        "findings/_measure_overview.py",
        "self.tier[s] == self.tier[order[0]]",
        "self.tier[s] == self.tier[order[-1]]",
        OVERVIEW,
    ),
    Fault(
        "findings/_run_against_all.py",
        'counted(len(possible), "other run")',
        'counted(len(possible) + 1, "other run")',
        OVERVIEW,
    ),
    Fault(
        "findings/_measure_overview.py",
        "(significant & (difference < 0)).sum()",
        "(significant & (difference > 0)).sum()",
        OVERVIEW,
    ),
    Fault(
        "findings/_judged_coverage.py",
        "for axis in (1, 0)",
        "for axis in (0, 1)",
        ("tests/findings/test_judged_coverage.py",),
    ),
    Fault(
        "findings/_treatment_means.py",
        "np.nanargmax(width)",
        "np.nanargmin(width)",
        ("tests/findings/test_treatment_means.py",),
    ),
    Fault(
        "findings/_marked_results.py",
        '"†" if better[row, at] else "‡" if better[at, row]',
        '"†" if better[at, row] else "‡" if better[row, at]',
        ("tests/workflows/test_paper_tables.py",),
    ),
    Fault(
        "findings/planning/_collection_power.py",
        "order[n // 4 : n // 2]",
        "order[n // 2 : n // 4]",
        ("tests/findings/planning/test_collection_power.py",),
    ),
    # what goes from files to findings, in workflows
    Fault(
        "workflows/_trec_eval_measures.py",
        "[0] / depth).tolist()",
        "[0] / lists.grades.depth).tolist()",
        ("tests/cli/test_trec_eval.py", "tests/measures/test_trec_eval.py"),
    ),
    Fault(
        "workflows/_report.py",
        "np.argsort(-share[affected]",
        "np.argsort(share[affected]",
        ("tests/workflows/test_reporting.py", *PAGE),
    ),
    Fault(
        "workflows/_report.py",
        "model_low=plausible.low,",
        "model_low=plausible.high,",
        ("tests/findings/test_treatment_means.py",),
    ),
    Fault(
        "findings/_judged_coverage.py",
        "first_unjudged=checked.first_unjudged[:, at]",
        "first_unjudged=checked.first_unjudged",
        ("tests/workflows/test_reporting.py", *PAGE),
    ),
    Fault(
        "workflows/_judging.py",
        "if run not in gone",
        "if run in gone",
        ("tests/cli/test_pool.py",),
    ),
    Fault(
        "workflows/_standardize.py",
        "if references else table",
        "if not references else table",
        ("tests/cli/test_score_commands.py",),
    ),
    Fault(
        "collection/_reading.py",
        "malformed=self.malformed",
        'malformed="error"',
        ("tests/workflows", "tests/cli/test_evaluate.py"),
    ),
    Fault(
        "workflows/_evaluate.py",
        "qrels, runs, topics=topics, counts_unknown",
        'qrels, runs, topics="judged", counts_unknown',
        ("tests/cli/test_evaluate.py", "tests/workflows"),
    ),
    # what is drawn, in views
    Fault(
        "views/report/_nested_bars.py",
        '"topics" if uncertainty.is_interval else "unjudged"',
        '"unjudged" if uncertainty.is_interval else "topics"',
        PAGE,
    ),
    Fault(
        "views/report/_run_sections.py",
        "if tier != above",
        "if tier == above",
        PAGE,
    ),
    Fault(
        "views/report/_run_sections.py",
        '"wins", "ties", "losses"',
        '"wins", "losses", "ties"',
        PAGE,
    ),
    Fault("views/report/_run_sections.py", 'f"{best} to {worst}"', 'f"{worst} to {best}"', PAGE),
    Fault(
        "views/report/_nested_bars.py",
        "x, width = _place(low, axis)",
        "x, width = _place(high, axis)",
        PAGE,
    ),
    Fault(
        "views/report/_detail_sections.py",
        "part.table.topic_spread()",
        "part.standardized_spread()",
        PAGE,
    ),
    Fault("views/plots/_run_figures.py", "left=low,", "left=high,", FIGURES),
    Fault("views/plots/_run_figures.py", "if bar < 0 else", "if bar > 0 else", FIGURES),
    Fault(
        "views/_paper_table.py",
        'best="max"',
        'best="min"',
        ("tests/workflows/test_paper_tables.py",),
    ),
    Fault(
        "views/_trec_eval_lines.py",
        "measure.values[t])",
        "measure.values[0])",
        ("tests/cli/test_trec_eval.py",),
    ),
    # the rooms below
    Fault(
        "collection/_pools.py",
        "9, 17, 33)",
        "9, 17, 34)",
        ("tests/collection/test_pools.py",),
    ),
    Fault(
        "scores/treatments/_bias.py",
        "np.sqrt((N - n) / N)",
        "np.sqrt((N - n) / n)",
        ("tests/scores/treatments",),
    ),
    Fault(
        "studies/_references.py",
        "np.quantile(self.taus, 1 - share",
        "np.quantile(self.taus, share",
        ("tests/studies/test_references.py",),
    ),
    Fault(
        "scores/_score_table.py",
        "t_quantile(n - 1, level)",
        "t_quantile(n, level)",
        ("tests/scores/test_score_table.py",),
    ),
    Fault(
        "studies/_swaps.py",
        "np.sign(seen) * np.sign(later) < 0",
        "np.sign(seen) * np.sign(later) <= 0",
        ("tests/studies/test_predictivity.py", "tests/studies/test_published.py"),
    ),
    Fault(
        "collection/_pools.py",
        "(self.first_unjudged > depth)",
        "(self.first_unjudged >= depth)",
        ("tests/collection/test_pools.py",),
    ),
    Fault(
        "words.py",
        "noun if number == 1 else",
        "noun if number <= 1 else",
        ("tests/results", "src/poolwise/words.py"),
    ),
    Fault(
        "evidence/_meeting.py",
        'if rule == "judged"',
        'if rule != "judged"',
        ("tests/evidence", "src/poolwise/evidence/_meeting.py"),
    ),
    Fault(
        "measures/families/_judged_only.py",
        "np.minimum(N, R), 1)",
        "np.maximum(N, R), 1)",
        ("tests/measures/families", "tests/measures/test_trec_eval.py"),
    ),
    Fault(
        "cli/_options.py",
        '"skip" if options.pop("lenient")',
        '"error" if options.pop("lenient")',
        ("tests/cli/test_evaluate.py",),
    ),
    # tables of papers, averages, citations, and the documents of a verdict
    Fault(
        "views/_paper_table.py",
        "            yield judging",
        "            yield topics  # judging",
        ("tests/cli/test_table.py",),
    ),
    Fault(
        "scores/_score_table.py",
        "1 / (1 / (_not_negative",
        "1 / (2 / (_not_negative",
        ("tests/scores/test_score_table.py",),
    ),
    Fault(
        "scores/_uncertainty.py",
        "with_entering(low, 1.0), with_entering(high, -1.0)",
        "with_entering(low, 1.0), with_entering(low, 1.0)",
        ("tests/scores/test_score_table.py",),
    ),
    Fault(
        "measures/bounds/_counts.py",
        "((first, none, none, none), 2),",
        "((first, none, none, none), 1),",
        ("tests/measures/bounds/test_counts.py",),
    ),
    Fault(
        "measures/bounds/_extremes.py",
        "np.maximum(at + size, self.lists.listed[rows])",
        "np.maximum(at, self.lists.listed[rows])",
        ("tests/measures/bounds/test_extremes.py",),
    ),
    Fault(
        "findings/_cited_methods.py",
        "not cited_in(source)",
        "cited_in(source)",
        ("tests/cli/test_cite.py",),
    ),
    Fault(
        "findings/comparison/_verdict.py",
        "np.unique(block.documents[:, t][topic.unjudged])",
        "np.unique(topic.documents[topic.unjudged])",
        ("tests/findings/comparison/test_verdict.py",),
    ),
    Fault(
        "workflows/_studies.py",
        "study.renamed.get(parameter, ",
        "{}.get(parameter, ",
        ("tests/cli/test_studies_of_pools.py",),
    ),
    Fault(
        "studies/_variation.py",
        "align(pools.depth_pool(depth), runs",
        "align(pools.judgments, runs",
        ("tests/cli/test_studies_of_variance.py",),
    ),
    # what is drawn: figures, charts, bars and the ledger's pictures
    Fault(
        "views/plots/_style.py",
        "axes.set_ylim(len(names) - 0.4, -0.6)",
        "axes.set_ylim(-0.6, len(names) - 0.4)",
        DRAWN,
    ),
    Fault("views/plots/_style.py", "bottom=low, color=colour", "bottom=high, color=colour", DRAWN),
    Fault("views/plots/_style.py", "AHEAD, BEHIND = ", "BEHIND, AHEAD = ", DRAWN),
    Fault("views/plots/_style.py", "down - 1 - i // across)", "i // across)", DRAWN),
    Fault(
        "views/plots/_label_figures.py",
        "in excess.favoured else",
        "not in excess.favoured else",
        DRAWN,
    ),
    Fault(
        "views/plots/_history_figures.py",
        'axes.plot(at, rows["mean"], "o"',
        'axes.plot(at, rows["baseline_mean"], "o"',
        DRAWN,
    ),
    Fault("views/plots/_pool_figures.py", "label=labels[base]", "label=labels[1 - base]", DRAWN),
    Fault("views/plots/_pool_figures.py", "100 * growth.rates()", "growth.rates()", DRAWN),
    Fault(
        "views/plots/_similarity_figures.py",
        "curve.rbo_min, curve.rbo_max",
        "curve.rbo_ext, curve.rbo_max",
        DRAWN,
    ),
    Fault(
        "views/plots/_similarity_figures.py",
        "np.argsort(-curves.rbo.mean(axis=1)",
        "np.argsort(curves.rbo.mean(axis=1)",
        DRAWN,
    ),
    Fault("views/report/_charts.py", '"datum.difference < 0"', '"datum.difference > 0"', CHARTS),
    Fault(
        "views/report/_charts.py",
        '"y2": column("three_quarters")}',
        '"y2": column("highest")}',
        CHARTS,
    ),
    Fault(
        "views/report/_chart_style.py",
        "datum.{field} < {limit}",
        "datum.{field} <= {limit}",
        CHARTS,
    ),
    Fault("views/report/_nested_bars.py", "24 - 2 * top}", "24 - top}", CHARTS),
    Fault(
        "views/ledger/_drawings.py",
        'at["quarter"] - at["three_quarters"]',
        'at["median"] - at["three_quarters"]',
        ("tests/views/ledger",),
    ),
    # what to judge next, in judging
    Fault(
        "judging/orders/_by_run.py", "by_runs ** (1 / _POWER)", "by_runs ** (2 / _POWER)", ORDERS
    ),
    Fault("judging/orders/_by_document.py", "** 3 * residual", "** 2 * residual", ORDERS),
    Fault(
        "judging/orders/_by_document.py",
        "more: ClassVar[float] = 1.25",
        "more: ClassVar[float] = 2.5",
        ORDERS,
    ),
    Fault("judging/_next.py", "DEFAULT_DEPTH = 100", "DEFAULT_DEPTH = 10", ("tests/judging",)),
    Fault(
        "judging/_next.py",
        "now.open_documents - len(shown)",
        "now.open_documents - len(steps)",
        ("tests/judging",),
    ),
    Fault(
        "judging/_sampling.py",
        "(uniform < chance) & open_",
        "(uniform > chance) & open_",
        ("tests/judging/test_sampling.py", "tests/workflows", "tests/cli/test_labels.py"),
    ),
    # an evaluation repeated, in studies
    Fault(
        "studies/_pooling_bias.py",
        "(1 - common / self.topics)",
        "(1 + common / self.topics)",
        ("tests/studies/test_pooling_bias.py",),
    ),
    Fault(
        "studies/_movement.py",
        '"lower": (moved < 0)',
        '"lower": (moved <= 0)',
        ("tests/studies",),
    ),
    Fault(
        "studies/_variants.py",
        "if len(of_topic) == len(sets)]",
        "if len(of_topic) != len(sets)]",
        ("tests/studies/test_variants.py",),
    ),
    Fault(
        "studies/_comparability.py",
        "values[:, right[pair]], ~in_left)",
        "values[:, right[pair]], in_left)",
        ("tests/studies/test_comparability.py",),
    ),
    Fault(
        "studies/_judging_orders.py",
        "agreement.contradictions, agreement.false_negatives)",
        "agreement.false_negatives, agreement.contradictions)",
        ("tests/studies/test_judging_orders.py",),
    ),
    # from files to findings, in workflows
    Fault(
        "workflows/_design.py",
        "(table.value[pairs.left] - table.value[pairs.right])",
        "(table.value[pairs.left] + table.value[pairs.right])",
        ("tests/cli/test_design.py", "tests/findings/planning"),
    ),
    Fault(
        "workflows/_label_estimates.py",
        "np.where(old, gain, alike)",
        "np.where(old, alike, gain)",
        ("tests/cli/test_labels.py", "tests/findings/labels"),
    ),
    Fault(
        "workflows/_ledger_reading.py",
        "table.upper[left] - least[right]",
        "table.upper[left] - table.upper[right]",
        ("tests/workflows/test_ledger.py",),
    ),
    Fault(
        "workflows/_exchange.py",
        "if machines and not trust:",
        "if machines and trust:",
        ("tests/cli/test_convert.py", "tests/cli/test_labels.py"),
    ),
    Fault(
        "workflows/_gate.py",
        'if gated.verdict == "pass" or not is_open',
        'if gated.verdict != "pass" or not is_open',
        ("tests/workflows/test_gating.py", "tests/cli/test_gate.py"),
    ),
    # claims and witnesses
    Fault(
        "findings/_witness.py",
        "        return now < 0",
        "        return now > 0",
        ("tests/workflows/test_witness.py",),
    ),
    Fault(
        "findings/_witness.py",
        "abs(limits[1]) >= abs(limits[0])",
        "abs(limits[1]) < abs(limits[0])",
        ("tests/workflows/test_witness.py",),
    ),
    Fault(
        "findings/_claims.py",
        "defined = ~np.isnan(scores).any(axis=0)",
        "defined = ~np.isnan(scores).all(axis=0)",
        ("tests/findings/test_claims.py",),
    ),
    Fault(
        "findings/_claims.py",
        "places.worst >= claim.low",
        "places.worst > claim.low",
        ("tests/findings/test_claims.py",),
    ),
    # labels
    Fault(
        "findings/labels/_topic_estimates.py",
        "t_quantile(self.judged - 1, level) * self.error",
        "t_quantile(self.judged, level) * self.error",
        ("tests/findings/labels", "tests/cli/test_labels.py"),
    ),
    Fault(
        "findings/labels/_label_agreement.py",
        "if failed > _MANY_FAILED * total",
        "if failed < _MANY_FAILED * total",
        ("tests/collection/test_labels.py",),
    ),
    Fault(
        "collection/formats/_label_files.py",
        "np.where([_has_failed(cell) for cell in status], np.nan, values)",
        "np.where([_has_failed(cell) for cell in status], 0.0, values)",
        ("tests/collection/test_labels.py", "tests/collection/formats"),
    ),
    # gates, ranks, designs, and what a terminal and a replay make of numbers
    Fault(
        "findings/gating/_measure_gate.py",
        "low < -self.margin <= high",
        "low < self.margin <= high",
        ("tests/findings/gating",),
    ),
    Fault(
        "findings/gating/_measure_gate.py",
        "not self.p_high < self.rules.alpha",
        "not self.p_fail < self.rules.alpha",
        ("tests/findings/gating",),
    ),
    Fault(
        "findings/history/_ranks.py",
        "self.separable & (self.rank[None, :] < self.rank[:, None])",
        "self.separable & (self.rank[None, :] > self.rank[:, None])",
        ("tests/findings/history",),
    ),
    Fault(
        "findings/planning/_designs.py",
        "np.maximum(topics - plan.start + 1, 1)",
        "np.maximum(topics - plan.start, 1)",
        ("tests/findings/planning/test_designs.py",),
    ),
    # slices, clusters, topics without an answer, texts that changed, and pages of two runs
    Fault(
        "findings/_by_cluster.py",
        "cells.std(axis=1, ddof=1)",
        "cells.std(axis=1, ddof=0)",
        ("tests/findings/test_by_cluster.py",),
    ),
    Fault(
        "findings/_by_slice.py",
        "part.var(axis=1, ddof=1)",
        "part.var(axis=1, ddof=0)",
        ("tests/findings/test_by_slice.py",),
    ),
    Fault(
        "findings/_no_answer.py",
        "np.where(answered, 0.0, 1.0)",
        "np.where(answered, 1.0, 0.0)",
        ("tests/findings/test_no_answer.py",),
    ),
    Fault(
        "findings/_ceilings.py",
        "(self.attainable[defined] < _WHOLE)",
        "(self.attainable[defined] > _WHOLE)",
        ("tests/findings/test_ceilings.py",),
    ),
    Fault(
        "findings/_document_changes.py",
        "for document in ids}) > 1:",
        "for document in ids}) > 2:",
        ("tests/findings/test_document_changes.py",),
    ),
    Fault(
        "findings/_side_by_side.py",
        "np.argsort(-size",
        "np.argsort(size",
        ("tests/workflows/test_side_by_side.py", "tests/views/report"),
    ),
    # gates with labels, journals, replays
    Fault(
        "findings/gating/_labelled_pair.py",
        "/ np.sqrt(len(self.deltas))",
        "/ np.sqrt(len(self.deltas) - 1)",
        ("tests/findings/gating", "tests/workflows/test_gating_labels.py"),
    ),
    Fault(
        "findings/planning/_journal.py",
        "crossed = last.plain <= ",
        "crossed = last.plain >= ",
        ("tests/workflows/test_journal.py", "tests/findings/planning/test_journal.py"),
    ),
    Fault(
        "store/_journal_file.py",
        'entry.get("previous") != previous',
        'entry.get("previous") is None',
        ("tests/workflows/test_journal.py",),
    ),
    Fault(
        "cli/replay.py",
        "elsewhere, without_writing():",
        "elsewhere:",
        ("tests/hostile/test_records.py",),
    ),
    Fault(
        "results/_record_files.py",
        "is None else not vouched",
        "is None else vouched",
        ("tests/hostile/test_records.py",),
    ),
    # the judging room
    Fault(
        "workflows/campaigns/_due.py",
        "by_topics > settings.margin",
        "judging > settings.margin",
        CAMPAIGNS,
    ),
    Fault(
        "workflows/campaigns/_due.py",
        "adjusted_run.found.estimates - scores[leader]",
        "adjusted_run.found.estimates + scores[leader]",
        CAMPAIGNS,
    ),
    Fault(
        "workflows/campaigns/_common.py",
        "max(1, len(drawn) + len(added))",
        "max(1, len(added))",
        CAMPAIGNS,
    ),
    Fault(
        "workflows/campaigns/_making.py",
        "for topic in asked if topic not in had",
        "for topic in asked if topic in asked",
        CAMPAIGNS,
    ),
    Fault(
        "workflows/campaigns/_exports.py",
        "return grades[-1]",
        "return grades[0]",
        CAMPAIGNS,
    ),
    Fault(
        "workflows/campaigns/_state.py",
        "taken >= self.need(key) or",
        "taken > self.need(key) or",
        ("tests/workflows/campaigns/test_room.py",),
    ),
    Fault(
        "store/campaigns/_journal.py",
        'cell.encode("utf-8", "surrogateescape")',
        'cell.encode("utf-8", "replace")',
        ("tests/server/test_odd_ids.py",),
    ),
    Fault(
        "judging/_lists.py",
        "rows = sorted(zip(self.topic, self.document, strict=True))",
        "rows = list(zip(self.topic, self.document, strict=True))",
        ("tests/workflows/test_sheets.py",),
    ),
    Fault(
        "cli/_output.py",
        "delivery.output is not None or chosen in MARKED_UP",
        "chosen in MARKED_UP",
        ("tests/cli/test_judging.py",),
    ),
    Fault(
        "judging/_next.py",
        "np.minimum(1, (high - low)",
        "np.maximum(1, (high - low)",
        ("tests/judging/test_settled_goals.py",),
    ),
    Fault(
        "results/_replays.py", "_ROUNDING = 1e-9", "_ROUNDING = 1e-3", ("tests/cli/test_replay.py",)
    ),
    Fault(
        "results/_tables.py",
        "place(starts[row]), place(stops[row])",
        "place(starts[row]), place(starts[row])",
        ("tests/results", "tests/cli/test_bars.py"),
    ),
)


class Tree:
    """A scratch copy of the tree."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in COPIED:
            place = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
            place(ROOT / name, folder / name)

    def catches(self, fault: Fault) -> bool:
        """Plant a fault, run its tests, and put the file right again."""
        file = self.folder / "src/poolwise" / fault.file
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace(fault.old, fault.new), encoding="utf-8")
        try:
            return self.fails(fault.tests)
        finally:
            file.write_text(text, encoding="utf-8")

    def fails(self, tests: Iterable[str]) -> bool:
        """Tell whether these tests fail, or do not end."""
        ours = {
            "PYTHONPATH": str(self.folder / "src"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "POOLWISE_DATA": DATA,
        }
        command = [sys.executable, "-c", RUN, "-q", "-x", "-p", "no:cacheprovider", *tests]
        try:
            ran = subprocess.run(  # noqa: S603 -- our own interpreter
                command,
                cwd=self.folder,
                env=os.environ | ours,
                capture_output=True,
                check=False,
                timeout=LONGEST,
            )
        except subprocess.TimeoutExpired:
            return True
        if b"on another tree" in ran.stderr:
            raise RuntimeError(ran.stderr.decode())
        # 1: tests failed; 2: they could not be collected
        return ran.returncode in (1, 2)


def misplaced(faults: Iterable[Fault]) -> Iterator[str]:
    """Say of each fault that cannot be planted how often its text is in its file."""
    for fault in faults:
        file = ROOT / "src/poolwise" / fault.file
        times = file.read_text(encoding="utf-8").count(fault.old) if file.exists() else "no file, 0"
        if times != 1:
            yield f"{fault}: the text must be there once; found {times} times"
        yield from (f"{fault}: no {test}" for test in fault.tests if not (ROOT / test).exists())


def red_tests(faults: Iterable[Fault]) -> list[str]:
    """Return the tests that fail in a copy without any fault."""
    with tempfile.TemporaryDirectory() as scratch:
        tree = Tree(Path(scratch))
        tests = dict.fromkeys(test for fault in faults for test in fault.tests)
        # All at once first: to start anew for each takes longer than most of them.
        return [test for test in tests if tree.fails([test])] if tree.fails(tests) else []


def plant(faults: tuple[Fault, ...]) -> list[bool]:
    """Tell which of these faults are caught, a few scratch trees at a time."""
    trees: SimpleQueue[Tree] = SimpleQueue()

    def try_out(fault: Fault) -> bool:
        tree = trees.get()
        caught = tree.catches(fault)
        trees.put(tree)
        print("caught  " if caught else "SURVIVED", fault, flush=True)  # noqa: T201 -- a report
        return caught

    with tempfile.TemporaryDirectory() as scratch:
        for number in range(SCRATCH_TREES):
            folder = Path(scratch) / str(number)
            folder.mkdir()
            trees.put(Tree(folder))
        with ThreadPoolExecutor(SCRATCH_TREES) as pool:
            return list(pool.map(try_out, faults))


def main(part: str = "") -> int:
    """Plant the faults in files whose path has this part, and return the exit code."""
    chosen = tuple(fault for fault in FAULTS if part in fault.file)
    wrong = list(misplaced(chosen)) or [f"{t} fails without a fault" for t in red_tests(chosen)]
    if wrong:
        print(*wrong, sep="\n")  # noqa: T201 -- as above
        return 1
    caught = plant(chosen)
    print(f"{sum(caught)} of {len(caught)} faults are caught.")  # noqa: T201 -- as above
    return int(sum(caught) < LEAST_CAUGHT * len(caught))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
