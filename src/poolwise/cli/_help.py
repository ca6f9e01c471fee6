"""How the help of a command is laid out: what most people look for fits on one screen."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import click

__all__ = ["ELSEWHERE", "EXAMPLES", "LINES", "OptionGroup", "by_heading", "names_of_options"]

LINES = 60
"""The lines that a help has at most; ``--help-all`` says the rest."""

EXAMPLES: dict[str, tuple[str, ...]] = {
    "main": (
        "demo",
        "evaluate qrels.txt runs -m nDCG@10",
        "report qrels.txt runs -o report.html",
    ),
    "evaluate": (
        "evaluate qrels.txt runs",
        "evaluate qrels.txt new.run -m nDCG@10,AP,RR@10 --bounds none",
        "evaluate qrels.txt new.run -m AP --by language --queries langs.tsv",
        "evaluate qrels.txt new.run --treatment model --card demo.card",
        "evaluate qrels.txt new.run -m R@10 --ceiling",
        "evaluate qrels.txt runs -m nDCG@10 --empty no-answer.txt",
        "evaluate qrels.txt runs -m nDCG@10 --beside costs.csv",
        "evaluate qrels.txt runs -m nDCG@10 --cluster clusters.txt",
    ),
    "estimate": (
        "estimate qrels.txt runs -m nDCG@10",
        "estimate qrels.txt runs -m P@10 --groups groups.txt",
        "estimate qrels.txt runs -m P@10 --treatment condensed,bootstrap",
    ),
    "compare": (
        "compare qrels.txt old.run new.run -m nDCG@10",
        "compare qrels.txt runs -m AP --baseline bm25-1",
        "compare qrels.txt old.run new.run --html ab.html",
        "compare qrels.txt old.run new.run --cluster clusters.txt",
        "compare qrels.txt runs -m AP --by language --queries langs.tsv",
        "compare qrels.txt old.run new.run -m nDCG@10 --beside costs.csv",
    ),
    "report": (
        "report qrels.txt runs -o report.html",
        "report qrels.txt runs -m nDCG@10,AP --baseline bm25-1 -o report.html",
        "report qrels.txt old.run new.run -o two.html --title 'Old and new'",
    ),
    "table": (
        "table qrels.txt runs -m nDCG@10,P@10 --baseline bm25-1",
        "table qrels.txt runs -m nDCG@10 -o table.tex",
        "table qrels.txt runs -m nDCG@10 --top 5 --format md",
    ),
    "diversity": (
        "diversity intents.qrels runs",
        "diversity intents.qrels runs -m alpha_nDCG@10",
        "diversity intents.qrels new.run -m StRecall@10 --per-topic",
    ),
    "standardize": (
        "standardize qrels.txt runs -m AP",
        "standardize qrels.txt runs -m AP --save factors.tsv",
        "standardize qrels.txt new.run -m AP --factors factors.tsv",
    ),
    "audit": (
        "audit qrels.txt runs",
        "audit qrels.txt runs --rules --documents corpus.jsonl",
        "audit qrels.txt runs --origin",
        "audit qrels.txt runs --documents corpus.jsonl --hashes then.tsv",
    ),
    "show": (
        "show qrels.txt runs --topic 401",
        "show qrels.txt new.run --topic 401 --queries topics.tsv",
        "show qrels.txt old.run new.run --topic 401 --format md",
    ),
    "trec_eval": (
        "trec_eval qrels.txt new.run",
        "trec_eval -q -m map -m P.10 qrels.txt new.run",
        "trec_eval -m all_trec qrels.txt new.run",
    ),
    "next": (
        "next qrels.txt old.run new.run --goal pair:old,new --budget 20",
        "next qrels.txt runs --goal top:3 --documents corpus.jsonl",
        "next qrels.txt runs --goal relevant --budget 50 -o judge.tsv",
    ),
    "merge": (
        "merge qrels.txt more.qrels -o all.qrels",
        "merge qrels.txt more.qrels --conflicts last -o all.qrels",
        "merge qrels.txt sheet.tsv -o all.qrels",
    ),
    "convert": (
        "convert qrels.txt --to jsonl -o qrels.jsonl",
        "convert qrels.txt --to opensearch -o ratings.json",
        "convert ratings.csv --to trec -o ratings.qrels",
    ),
    "pool": (
        "pool runs --depth 10",
        "pool runs --depth 10 -o pool.tsv",
        "pool runs --depth 5 --grades-from qrels.txt -o thin.qrels",
    ),
    "sample": (
        "sample runs --design depths:5=1,20=0.1 -o sample.tsv",
        "sample runs --design depths:10=0.5 --seed 7 -o sample.tsv",
        "sample --for-agreement qrels.txt --budget 50 -o again.tsv",
    ),
    "agree": (
        "agree labels.txt --against qrels.txt",
        "agree labels.txt --against qrels.txt --runs runs -m nDCG@10",
        "agree labels.txt more.qrels --against qrels.txt",
    ),
    "power": (
        "power --delta 0.05 --sigma 0.15",
        "power qrels.txt runs -m AP",
        "power --sigma 0.15 --topic-count 50",
    ),
    "design": (
        "design --delta 0.05 --sigma 0.15",
        "design qrels.txt runs -m AP --delta 0.05",
        "design --delta 0.05 --sigma 0.15 --power 0.9",
    ),
    "campaign": (
        "campaign demo try",
        "campaign serve mine",
        "campaign status mine",
    ),
    "campaign init": (
        "campaign init new -m nDCG@10 --goal top:1",
        "campaign init second -m P@10 --depth 20",
        "campaign init third -m AP --goal relevant --grades 0,1",
    ),
    "campaign add-topics": ("campaign add-topics mine topics.tsv",),
    "campaign add-documents": ("campaign add-documents mine corpus.jsonl",),
    "campaign add-run": ("campaign add-run mine new.run",),
    "campaign add-common": ("campaign add-common mine 3",),
    "campaign serve": ("campaign serve mine --assessor Ann --assessor Ben",),
    "campaign status": (
        "campaign status mine",
        "campaign status mine -m P@10",
        "campaign status mine --assessors",
    ),
    "campaign next": (
        "campaign next mine --budget 20",
        "campaign next mine --budget 20 -o judge.tsv",
        "campaign next mine --budget 20 --ranks",
    ),
    "campaign export": (
        "campaign export mine --rule majority",
        "campaign export mine --rule latest",
        "campaign export mine --format json",
    ),
    "campaign import": ("campaign import mine qrels.txt --assessor Ann",),
    "campaign backup": ("campaign backup mine mine.zip",),
    "campaign demo": ("campaign demo try",),
    "journal": (
        "journal start plan.journal -m nDCG@10 --delta 0.2 --sigma 0.15",
        "journal step begun.journal qrels.txt old.run new.run --topics first",
        "journal show begun.journal",
    ),
    "journal start": (
        "journal start plan.journal -m nDCG@10 --delta 0.2 --sigma 0.15",
        "journal start most.journal -m AP --delta 0.2 --sigma 0.15 --most 50",
        "journal start sure.journal -m AP --delta 0.2 --sigma 0.15 --power 0.9",
    ),
    "journal step": ("journal step begun.journal qrels.txt old.run new.run --topics first",),
    "journal finish": ("journal finish judged.journal",),
    "journal show": ("journal show begun.journal",),
    "card": (
        "card make qrels.txt runs --groups groups.txt -o new.card",
        "card show demo.card",
        "estimate qrels.txt new.run --card demo.card",
    ),
    "card make": (
        "card make qrels.txt runs --groups groups.txt -o new.card",
        "card make qrels.txt runs -m AP --pool-depth 10 -o deep.card",
        "card make qrels.txt runs --factors-only -o public.card",
    ),
    "card show": ("card show demo.card",),
    "ledger": (
        "ledger add results qrels.txt runs --collection demo",
        "ledger rank results",
        "ledger site results -o site",
    ),
    "ledger add": (
        "ledger add results qrels.txt runs --collection demo --year 2026",
        "ledger add results qrels.txt new.run --collection demo",
        "ledger add results --scores scores.csv -m AP --collection scores",
    ),
    "ledger list": ("ledger list results",),
    "ledger rank": (
        "ledger rank results -m nDCG@10",
        "ledger rank results --collection demo",
        "ledger rank results -m nDCG@10 --plot ranks.png",
    ),
    "ledger context": (
        "ledger context results prf-1 --baseline bm25-1",
        "ledger context results bm25-1 -m P@10",
        "ledger context results prf-1 --baseline bm25-1 --format md",
    ),
    "ledger compare": (
        "ledger compare results prf-1 bm25-1 -m P@10",
        "ledger compare results prf-1 ql-1 dfr-1 --baseline bm25-1",
        "ledger compare results prf-1 bm25-1 --files runs",
    ),
    "ledger trend": (
        "ledger trend results -m nDCG@10",
        "ledger trend results -m nDCG@10 --collection demo",
        "ledger trend results -m P@10 --format md",
    ),
    "ledger check": (
        "ledger check results",
        "ledger check results --hashes-only",
        "ledger check results --files runs",
    ),
    "ledger retract": ("ledger retract results ql-1 --reason 'a bug in its index'",),
    "ledger site": (
        "ledger site results -o site",
        "ledger site results -o site --force",
        "ledger site results -o pages --title Results",
    ),
    "similarity": (
        "similarity runs",
        "similarity old.run new.run --p 0.9",
        "similarity runs --format json",
    ),
    "gate": (
        "gate qrels.txt new.run --baseline old.run -m nDCG@10",
        "gate qrels.txt new.run --baseline old.run -m nDCG@10 --margin 0.02",
        "gate qrels.txt --baseline old.run -m nDCG@10 --freeze old.frozen",
        "gate some.txt new.run --baseline old.run --labels gpt --assume-random",
    ),
    "replay": ("replay scores.tsv", "replay table.tex"),
    "measures": ("measures", "measures --format md"),
    "explain": ("explain nDCG@10", "explain 'RBP(p=0.8)'", "explain nDCG@10 --sql duckdb"),
    "demo": ("demo", "demo -o somewhere"),
    "cite": ("cite", "cite scores.tsv", "cite table.tex"),
    "study": (
        "study swaps qrels.txt runs -m AP",
        "study leave-out qrels.txt runs -m P@10",
        "study depth qrels.txt runs -m nDCG@10",
    ),
}
"""What people type, by command; ``main`` is the program.

The files are those of ``poolwise demo``, and some beside them.
"""

ELSEWHERE = {
    **{f"--{name}": f"--format {name}" for name in ("json", "csv", "tsv", "md", "latex", "html")},
    **dict.fromkeys(("--markdown",), "--format md"),
    **dict.fromkeys(("--tex",), "--format latex"),
    **dict.fromkeys(("-q", "--query", "--per-query", "--perquery"), "--per-topic"),
    **dict.fromkeys(("--metric", "--metrics", "--measures"), "--measure"),
    **dict.fromkeys(("--condensed", "--judged-only", "-J"), "--treatment condensed"),
    **dict.fromkeys(("--out", "--save", "--file"), "--output"),
    **dict.fromkeys(("--base", "--reference"), "--baseline"),
}
"""What options of other programs are called here, where a command has that one."""

_FIRST = ("--measure", "--baseline", "--html", "--output")
"""What comes before all else."""
_HEADINGS = {
    "Texts": ("--queries", "--documents"),
    "Topics and scores": ("--topics", "--scores", "--rows", "--mean"),
    "Labels by machines": (
        *("--labels", "--by", "--scale", "--topic-texts", "--passages", "--assume-random"),
    ),
    "Output": (
        *("--format", "--plot", "--provenance", "--force", "--safe-csv", "--quiet", "--verbose"),
    ),
    "Grades and ranges": ("--grades", "--bounds", "--universe", "--universe-depth"),
    "Computing": ("--seed", "--workers", "--draws", "--resamples", "--stream"),
    "Reading files": (
        *("--ties", "--duplicates", "--lenient", "--negative", "--names", "--max-ratio", "--trust"),
    ),
}
"""Options that many commands share; all others are a command's own, and come first."""


class OptionGroup(NamedTuple):
    """Options under one heading."""

    heading: str
    options: list[click.Parameter]


def by_heading(options: Iterable[click.Parameter]) -> Iterator[OptionGroup]:
    """Yield options by heading, what a command is asked for most often first."""
    options = list(options)
    shared = {name: heading for heading, names in _HEADINGS.items() for name in names}
    if not any("--labels" in option.opts for option in options):
        del shared["--by"]  # a column of slices there, or a person
    of = {id(option): _among(option, shared) for option in options}
    own = [option for option in options if of[id(option)] is None]
    own.sort(key=lambda option: (not option.required, _place(option, _FIRST)))
    yield OptionGroup("Options", own)
    for heading, names in _HEADINGS.items():
        within = [option for option in options if of[id(option)] == heading]
        within.sort(key=lambda option: _place(option, names))
        if within:
            yield OptionGroup(heading, within)


def _among(option: click.Parameter, named: dict[str, str]) -> str | None:
    return next((named[name] for name in option.opts if name in named), None)


def _place(option: click.Parameter, names: Sequence[str]) -> int:
    return min((names.index(name) for name in option.opts if name in names), default=len(names))


def names_of_options(options: Sequence[click.Parameter]) -> str:
    """Return the long names of options, as a list."""
    return ", ".join(max(option.opts, key=len) for option in options)
