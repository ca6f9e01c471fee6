"""The one table of studies: commands, their help, what they cite and draw follow from it.

It imports nothing, so that the list of studies costs nothing: a function goes by its public name
(``"studies.swap_rates"``) and is loaded when it is asked for. What the function's signature and
docstring say about an option is not said again here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["QUESTIONS", "STUDIES", "Option", "Study"]

Takes = Literal[
    "tables", "table", "first table", "evidence", "collection", "nominations", "runs", ""
]
"""What a function takes first: the score tables of all measures, that of each measure or of the
first, runs met with judgments, judgments and runs, their nominations, runs alone, or nothing."""

_DATA: Mapping[Takes, int] = {"collection": 2, "": 0}
"""How many parameters that are, where it is not one."""


@dataclass(frozen=True)
class Option:
    """How a command has an option, as far as the signature and the docstring do not tell.

    Attributes
    ----------
    flags : tuple of str
        What a user types, where it is not the name of the parameter.
    help : str
        What it does, where the parameter's own text does not say it to somebody who types.
    metavar : str
        What its value is called in the help.
    minimum : int
        The smallest whole number that it takes.
    choices : str
        The registry that it takes names from, by its public name: ``"studies.TAUS"``.
    leave_out : tuple of str
        Names of the registry that it does not take.
    repeated : bool
        Whether it is typed again for each value; otherwise several values have commas between.
    reads : str
        What its file is read as: judgments, groups, topics, variants or dates.
    default : object
        The default of the command, where the function has none, or another.

    Examples
    --------
    >>> Option(("--by",), choices="studies.TAUS").flags
    ('--by',)
    """

    flags: tuple[str, ...] = ()
    help: str = ""
    metavar: str = ""
    minimum: int = 1
    choices: str = ""
    leave_out: tuple[str, ...] = ()
    repeated: bool = False
    reads: str = ""
    default: Any = None


@dataclass(frozen=True)
class Instead:
    """Another function, which does the study where certain options are used.

    Attributes
    ----------
    function : str
        Its public name.
    takes : Takes
        What it takes first.
    when : tuple of str
        The options, one of which is enough.
    """

    function: str
    takes: Takes
    when: tuple[str, ...]


@dataclass(frozen=True)
class View:
    """An option that says what is shown of a finding, and changes none of its numbers.

    Attributes
    ----------
    name : str
        The name of the option.
    option : Option
        How the command has it.
    method : str
        The method of the finding that it is passed to: its tables, its columns, or one that
        returns another finding.
    argument : str
        The parameter of that method.
    """

    name: str
    option: Option
    method: str
    argument: str


@dataclass(frozen=True)
class Study:
    """A study: an evaluation repeated under changed conditions, and all that is said about it.

    Attributes
    ----------
    name : str
        What follows ``poolwise study``.
    function : str
        The public name of what does it.
    takes : Takes
        What the function takes first.
    question : str
        The question that it answers, one of ``QUESTIONS``.
    summary : str
        What it does, in one line.
    help : str
        What it does, where the docstring of the function does not say it to somebody who types.
    papers : tuple of str
        The publications that it is cited for, by their keys.
    plots : tuple of str
        The kinds of plots that can be made of it.
    options : mapping from str to Option
        By parameter, how the command has an option.
    api_only : tuple of str
        Parameters that the command does not have.
    renamed : mapping from str to str
        Parameters that take the value of another one, since two functions name it differently.
    instead : Instead, optional
        Another function that does it where certain options are used.
    makes : mapping from str to str
        Parameters that a function makes of options of its own.
    view : View, optional
        An option that says what is shown.
    best : bool
        Whether systems can be left out that are not among the best by any measure.
    joined : bool
        Whether the findings about several measures are one finding.
    progress : str
        What is counted while it runs.
    example : str
        What an example says after the files.

    Examples
    --------
    >>> swaps = next(study for study in STUDIES if study.name == "swaps")
    >>> swaps.function, swaps.takes
    ('studies.swap_rates', 'table')
    """

    name: str
    function: str
    takes: Takes
    question: str
    summary: str
    help: str = ""
    papers: tuple[str, ...] = ()
    plots: tuple[str, ...] = ()
    options: Mapping[str, Option] = field(default_factory=dict)
    api_only: tuple[str, ...] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)
    instead: Instead | None = None
    makes: Mapping[str, str] = field(default_factory=dict)
    view: View | None = None
    best: bool = False
    joined: bool = True
    progress: str = "tasks"
    example: str = ""

    def chosen(self, options: Mapping[str, Any]) -> tuple[str, Takes]:
        """Return the function that does it with these options, and what it takes first.

        Examples
        --------
        >>> anova = next(study for study in STUDIES if study.name == "anova")
        >>> anova.chosen({"pool_depths": (5, 10, 20)})
        ('studies.analyse_pool_depths', 'collection')
        """
        if self.instead and any(options.get(name) for name in self.instead.when):
            return self.instead.function, self.instead.takes
        return self.function, self.takes

    def functions(self) -> tuple[tuple[str, int], ...]:
        """Return all functions whose options it has, and how many parameters of each are data."""
        uses = [(self.function, self.takes)]
        uses += [(self.instead.function, self.instead.takes)] if self.instead else []
        made = ((function, 0) for function in self.makes.values())
        return *((function, _DATA.get(takes, 1)) for function, takes in uses), *made


_DEPTH, _MISSING = "How deep to judge?", "What do missing judgments change?"
_MEASURE, _TOPICS = "Which measure?", "Which topics, and how many?"
_VARIATION, _RANKINGS = "What do scores vary by?", "How alike are rankings?"

QUESTIONS = (_DEPTH, _MISSING, _MEASURE, _TOPICS, _VARIATION, _RANKINGS)
"""What somebody asks, in the order of ``poolwise study --help``."""

_U18, _W10, _G16 = "moffat2018estimating", "webber2010measurement", "lu2016modeling"
_RBO, _STANDARDIZATION = "webber2010similarity", "webber2008score"

_GAIN = Option(choices="measures.GAINS")
_REL = Option(help="Count documents from this grade on as relevant.")
_P_OF_RBO = Option(help="Compute RBO with this persistence.")
_FIRST_RUN = Option(metavar="RUN", help="Compare this run with the other one.")
_SECOND_RUN = Option(metavar="RUN", help="Compare the first run with this one.")

_DEPTH_STUDIES = (
    Study(
        "depth",
        "studies.depths",
        "collection",
        _DEPTH,
        "What pool and evaluation depth do to scores.",
        papers=(_U18, "webber2010effect"),
        plots=("powers",),
        options={"forms": Option(("--form",), choices="studies.FORMS", repeated=True)},
        api_only=("pooled", "test", "alpha", "rng"),
        view=View(
            "shown",
            Option(
                ("--show",),
                "Show this number in the cells of tables; tsv, csv and json hold all of them.",
                choices="studies.GRID_NUMBERS",
                default="power",
            ),
            "tables",
            "show",
        ),
        progress="pools",
    ),
    Study(
        "movement",
        "studies.movement",
        "collection",
        _DEPTH,
        "How far scores move as pools become deeper.",
        papers=(_U18,),
        plots=("movement",),
        api_only=("pooled",),
    ),
    Study(
        "growth",
        "studies.pool_growth",
        "nominations",
        _DEPTH,
        "How pools of RUNS grow with their depth.",
        papers=(_U18,),
        plots=("growth",),
        options={"depths": Option(("--pool-depths",))},
        api_only=("systems", "rel"),
    ),
    Study(
        "undiscovered",
        "studies.undiscovered",
        "collection",
        _DEPTH,
        "Estimate how many relevant documents a deeper pool would find.",
        papers=("zobel1998reliable",),
        plots=("undiscovered",),
        options={
            "depth": Option(minimum=2),
            "target": Option(minimum=3),
            "rel": Option(("--rel", "--level")),
            "fit": Option(choices="studies.FITS"),
        },
        example="--depth 10",
    ),
    Study(
        "votes",
        "collection.relevance_by_multiplicity",
        "nominations",
        _DEPTH,
        "How often documents that many RUNS find are relevant.",
        "Show how often judged documents are relevant, by the number of RUNS that retrieve them."
        "\n\n"
        "Documents that one run alone found are relevant less often than those that many found; "
        "how much less says what leaving a run out of the pool costs.",
        papers=(_U18,),
        options={
            "depth": Option(
                help="Count a document among the first ranks of a run, down to this one, as its "
                "vote.",
                default=10,
            ),
            "rel": _REL,
            "bands": Option(help="Start bands at these numbers of votes."),
        },
        renamed={"systems": "pooled"},
    ),
    Study(
        "gains",
        "studies.fit_gain_curves",
        "evidence",
        _DEPTH,
        "Fit curves of gain by rank to the judgments of each topic.",
        papers=(_G16,),
        options={"model": Option(choices="evidence.GAIN_MODELS"), "gain": _GAIN},
    ),
    Study(
        "gain-models",
        "studies.compare_gain_models",
        "evidence",
        _DEPTH,
        "Which curve of gain by rank fits best.",
        papers=(_G16,),
        plots=("gain-models",),
        options={"topic": Option(metavar="TOPIC"), "gain": _GAIN},
        api_only=("rel",),
    ),
    Study(
        "convergence",
        "studies.converge_bounds",
        "collection",
        _DEPTH,
        "How the bounds of a score converge with depth.",
        papers=(_G16,),
        plots=("convergence",),
        options={"run": Option(metavar="RUN"), "topic": Option(metavar="TOPIC")},
        api_only=("predictions",),
        example="--run maverick-1 --topic 401",
    ),
)

_STUDIES_OF_MISSING_JUDGMENTS = (
    Study(
        "leave-out",
        "studies.leave_out",
        "collection",
        _MISSING,
        "Leave judgments out, estimate, compare with the truth.",
        plots=("reliability",),
        options={
            "rates": Option(("--rate",), repeated=True),
            "depths": Option(("--pool-depth",), repeated=True),
            "widths": Option(("--width",), repeated=True),
            "cells": Option(choices="studies.CELLS"),
        },
        makes={"reduction": "studies.choose_reduction"},
        view=View(
            "tests",
            Option(
                help="Print tests between the errors of the treatments instead: paired t tests "
                "over topics, with Bonferroni's correction. The errors are those of scores (rmse), "
                "their distances from the range that the full judgments leave (epsilon), or those "
                "of preferences between runs: wrong ones (precision), missing ones (recall), both "
                "(f1), and the same of what ranges state (range-…).",
                choices="studies.ERRORS",
            ),
            "error_tests",
            "error",
        ),
        progress="reduced judgments",
    ),
    Study(
        "pooling-bias",
        "studies.pooling_bias",
        "collection",
        _MISSING,
        "How far scores of runs outside the pool are off.",
        papers=(_W10,),
        plots=("pooling-bias",),
        options={
            "measure": Option(),
            "tested": Option(("--test",), metavar="RUN", repeated=True),
            "pooled": Option(("--pooled",), metavar="RUN"),
        },
        progress="pools",
    ),
    Study(
        "uncertainty",
        "studies.rbp_uncertainty",
        "evidence",
        _MISSING,
        "RBP and its residual by persistence.",
        papers=(_U18,),
        plots=("uncertainty",),
        options={"persistences": Option(("--p",)), "gain": _GAIN},
        api_only=("rel",),
    ),
    Study(
        "unjudged",
        "studies.estimate_by_unjudged",
        "collection",
        _MISSING,
        "Estimate scores where few or many documents are unjudged.",
        papers=("frobe2023bootstrapped",),
        options={"complete": Option(metavar="QRELS", reads="judgments")},
        example="-m nDCG@10",
    ),
    Study(
        "judging-order",
        "studies.replay_orders",
        "collection",
        _MISSING,
        "Replay orders of judging on complete judgments.",
        options={
            "measure": Option(),
            "orders": Option(("--order", "--method"), choices="judging.METHODS", repeated=True),
            "counts": Option(("--judgments",), metavar="LIST"),
            "pooled": Option(("--pooled",), metavar="RUN"),
            "left_out": Option(("--leave-out",)),
        },
        api_only=("rel",),
        progress="replaying",
    ),
    Study(
        "draws",
        "scores.draw_scores",
        "evidence",
        _MISSING,
        "Scores that a run could have on a topic.",
        "Show how often each score comes out for one of RUNS on one topic.\n\n"
        "Its unjudged documents draw grades many times, and each draw gives a score.",
        plots=("draws",),
        options={
            "measure": Option(help="Score by this measure.", default="nDCG@10"),
            "run": Option(metavar="RUN", help="Show the scores of this run."),
            "topic": Option(metavar="TOPIC", help="Show the scores on this topic."),
            "prior": Option(help="Prior of the grades.", choices="evidence.PRIORS"),
            "draws": Option(help="Number of draws of grades."),
        },
        api_only=("over", "joint"),
        example="--run maverick-1 --topic 401",
    ),
    Study(
        "verdict",
        "studies.order_verdict",
        "evidence",
        _MISSING,
        "Which judgments would settle the order of two RUNS.",
        options={"a": Option(metavar="RUN"), "b": Option(metavar="RUN")},
        view=View(
            "shown",
            Option(
                ("--show",),
                "Show one row for the pair, or one for each unjudged document whose judgment moves "
                "the difference, the furthest first, in tsv, csv and json.",
                choices="findings.VERDICT_ROWS",
                default="pair",
            ),
            "columns",
            "rows",
        ),
        joined=False,
        example="--a bm25-1 --b maverick-1",
    ),
)

_STUDIES_OF_MEASURES = (
    Study(
        "orders",
        "findings.measure_orders",
        "tables",
        _MEASURE,
        "Which measure orders RUNS most like a reference.",
        "Show which measure orders RUNS most like the first one named, and how sure that is.\n\n"
        "The first measure is the reference. Every other one has the correlation of its order with "
        "that of the reference, its interval over topics, and how far it is behind the nearest "
        "measure, with p values over topics and, for Kendall's tau, over systems. Carterette's "
        "d_rank is the distance of its order from the scores of the reference, in standard errors "
        "over topics; its p value says how often the reference itself orders runs as far from "
        "these scores on topics drawn anew.",
        options={
            "method": Option(
                ("--by",),
                "Compare the orders by this coefficient.",
                choices="findings.CORRELATIONS",
            ),
            "resamples": Option(help="Number of times that topics are drawn anew.", minimum=2),
        },
    ),
    Study(
        "discrimination",
        "findings.discriminate_all",
        "tables",
        _MEASURE,
        "Count the pairs of RUNS that are significantly different.",
        "Count the pairs of RUNS that each measure finds significantly different.\n\n"
        "The power is the share of all pairs with p below alpha, uncorrected. Each measure is "
        "compared with the first; a pair that both find significant in opposite directions counts "
        "as a false positive. With --pool-depths or --reference, each measure is compared with "
        "itself instead: on smaller pools with the deepest one, or with other judgments.",
        papers=("sakai2006evaluating",),
        options={
            "test": Option(leave_out=("pooled-t", "welch-t")),
            "reference": Option(metavar="QRELS", reads="judgments"),
        },
        api_only=("pooled",),
        instead=Instead(
            "studies.discriminate_pools", "collection", when=("pool_depths", "reference")
        ),
    ),
    Study(
        "predictivity",
        "studies.predictivity",
        "tables",
        _MEASURE,
        "How well measures predict the order of RUNS.",
        options={"method": Option(("--by",), choices="studies.TAUS")},
        best=True,
        progress="partitions",
    ),
    Study(
        "persistence",
        "studies.match_measures",
        "evidence",
        _MEASURE,
        "Find the RBP that orders RUNS as a measure does.",
        papers=(_U18,),
        plots=("persistence", "persistence-by-topic"),
        options={
            "by": Option(choices="studies.MATCHES", leave_out=("tau_ap",)),
            "gain": _GAIN,
            "rows": Option(choices="studies.PERSISTENCE_ROWS"),
        },
        api_only=("persistences",),
        progress="topics",
    ),
    Study(
        "weights",
        "findings.rank_weights",
        "",
        _MEASURE,
        "What each rank weighs in a measure.",
        "Show what each rank weighs in a measure, and how much of the weight lies past a depth.",
        plots=("weights",),
        options={
            "measures": Option(
                help="Show the weights of this measure, such as RBP(p=0.95) or DCG. The option may "
                "be repeated. [default: RBP with p = 0.5, 0.8 and 0.95, and DCG]"
            ),
            "depth": Option(help="Evaluate this number of ranks."),
            "judged": Option(help="Show how much of the weight lies past this rank."),
        },
    ),
    Study(
        "curves",
        "findings.recall_precision",
        "evidence",
        _MEASURE,
        "Precision of RUNS at levels of recall.",
        "Show the interpolated precision of RUNS at eleven levels of recall.\n\n"
        "Recall is that of the relevant documents that are known, and so rests on the judgments.",
        plots=("recall",),
        api_only=("recall",),
    ),
)

_STUDIES_OF_TOPICS = (
    Study(
        "swaps",
        "studies.swap_rates",
        "table",
        _TOPICS,
        "How often two RUNS swap places on other topics.",
        papers=("voorhees2002effect",),
        options={"sets": Option(choices="studies.SETS")},
        best=True,
        progress="draws",
    ),
    Study(
        "variants",
        "studies.variant_swaps",
        "table",
        _TOPICS,
        "How often two RUNS swap with the wording of queries.",
        papers=("buckley2000evaluating",),
        options={"variants": Option(metavar="FILE", reads="variants")},
        example="--variants variants.txt",
    ),
    Study(
        "comparability",
        "studies.compare_topic_sets",
        "tables",
        _TOPICS,
        "Compare scores of systems on two sets of topics.",
        papers=(_W10, _STANDARDIZATION),
        options={
            "second": Option(metavar="FILE", reads="topics"),
            "missed": Option(("--false-negatives",)),
        },
    ),
    Study(
        "references",
        "studies.enough_references",
        "table",
        _TOPICS,
        "How many reference runs make standardized scores stable.",
        papers=(_W10,),
        plots=("references",),
        options={"references": Option(("--reference",), metavar="RUN")},
        joined=False,
    ),
    Study(
        "inclusion",
        "findings.topic_inclusion",
        "first table",
        _TOPICS,
        "Which topics an iterative design prefers.",
        "Show which topics an experiment prefers that adds topics until it is powerful enough.\n\n"
        "Topics are added in random order until a difference seems detectable. Topics that differ "
        "as most do keep the deviation small, so that they are in the topic set more often than "
        "others.",
        papers=(_W10,),
        plots=("inclusion",),
        options={
            "a": _FIRST_RUN,
            "b": _SECOND_RUN,
            "delta": Option(help="Add topics until this difference is detectable."),
            "start": Option(help="Start with this number of topics.", minimum=2),
            "simulations": Option(help="Simulate this number of experiments."),
        },
        api_only=("power", "alpha"),
        example="-m AP --a bm25-1 --b prf-1 --delta 0.1",
    ),
    Study(
        "peeking",
        "findings.peek",
        "table",
        _TOPICS,
        "What testing after each topic would find.",
        "Show how many pairs that just miss significance testing after each topic would call so."
        "\n\n"
        "The price of peeking: topics are added in random order, and significance is looked at "
        "after each of them; one look that finds it is enough.",
        papers=(_W10,),
        options={
            "start": Option(help="Look at significance from this number of topics on.", minimum=2),
            "orders": Option(help="Add the topics in this number of random orders."),
            "highest": Option(
                help="Compare the pairs of runs whose p value on all topics lies between alpha "
                "and this."
            ),
        },
        joined=False,
    ),
    Study(
        "topics",
        "findings.item_total_correlations",
        "table",
        _TOPICS,
        "Which topics order RUNS as the others do.",
        "Show for each topic how its scores correlate with those of all others together.\n\n"
        "The item–total correlation of a topic says how reliably it reflects the whole. Topics on "
        "which scores spread more weigh more in a mean; whether they also tell more is tested.",
        papers=(_W10,),
        plots=("item-totals",),
        joined=False,
    ),
)

_STUDIES_OF_VARIATION = (
    Study(
        "variance",
        "findings.variance_components",
        "table",
        _VARIATION,
        "How much scores vary by system, by topic and by both.",
        "Show how much of the variance of scores is due to systems, to topics and to both together."
        "\n\n"
        "The components say how far a score on one topic, a difference of two scores, and a mean "
        "over topics separate systems.",
        papers=(_W10,),
    ),
    Study(
        "anova",
        "findings.analyse_variance",
        "table",
        _VARIATION,
        "Test what scores vary by: systems, topics, pool depth.",
        "Analyse the variance of the scores of RUNS by system and topic (ANOVA).\n\n"
        "Each source has its sum of squares, F and p value; what is left over is the residual. "
        "With --pool-depths, the depth of the pool is a covariate, with all interactions (ANCOVA).",
        options={"pool_depths": Option(metavar="LIST")},
        instead=Instead("studies.analyse_pool_depths", "collection", when=("pool_depths",)),
        progress="pools",
    ),
    Study(
        "dispersion",
        "findings.dispersion_test",
        "table",
        _VARIATION,
        "Test whether per-topic differences vary alike for all pairs.",
        "Test whether all pairs of RUNS could share one deviation of per-topic differences.\n\n"
        "If they do not, a number of topics that suffices for one pair need not suffice for "
        "another.",
        papers=(_W10,),
        options={"resamples": Option(help="Number of virtual pairs of systems to draw.")},
    ),
    Study(
        "distribution",
        "studies.distributions",
        "table",
        _VARIATION,
        "How scores are distributed.",
        plots=("densities", "histogram"),
        options={
            "of": Option(choices="findings.DENSITIES_OF"),
            "runs": Option(("--run",), metavar="RUN"),
        },
        renamed={"runs": "names"},  # RUNS are the argument
        joined=False,
    ),
    Study(
        "intensity",
        "findings.score_intensity",
        "table",
        _VARIATION,
        "Scores by shades, raw and standardized.",
        "Show the scores of RUNS on topics by shades, raw and standardized side by side.\n\n"
        "Each of eleven shades has as many scores. Raw scores show easy topics as stripes; "
        "standardized ones show good runs. Use --plot to see them.",
        papers=(_STANDARDIZATION,),
        plots=("intensity",),
        joined=False,
    ),
)

_STUDIES_OF_RANKINGS = (
    Study(
        "agreement",
        "findings.persistence_curves",
        "runs",
        _RANKINGS,
        "How alike two RUNS are to each depth.",
        "Show how alike two RUNS are to each depth, or one run and all others by persistence.\n\n"
        "For two runs each depth has the share of ranks in common, average overlap, Kendall's tau "
        "of the first ranks, and rank-biased overlap with its bounds. With --a alone, RBO with "
        "every other run is shown at several persistences: the higher, the deeper.",
        papers=(_RBO,),
        plots=("agreement", "persistences"),
        options={
            "a": _FIRST_RUN,
            "b": Option(
                metavar="RUN",
                help="Compare the first run with this one, depth by depth. [default: all others, "
                "by persistence]",
            ),
            "p": _P_OF_RBO,
            "also": Option(
                help="Show this similarity of the first ranks of two runs, too. The option may be "
                "repeated.",
                choices="findings.TOP_K",
                repeated=True,
            ),
        },
        api_only=("depths", "persistences"),
        renamed={"run": "a"},
        instead=Instead("findings.agreement_curve", "runs", when=("b",)),
        example="--a bm25-1 --b prf-1",
    ),
    Study(
        "time",
        "studies.similarity_over_time",
        "runs",
        _RANKINGS,
        "How far dated RUNS change over time.",
        papers=(_RBO,),
        plots=("time",),
        options={"dated": Option(("--dates",), metavar="FILE", reads="dates"), "p": _P_OF_RBO},
        example="--dates dates.txt",
    ),
    Study(
        "degradation",
        "studies.degrade_rankings",
        "",
        _RANKINGS,
        "Which similarity of rankings follows AP.",
        papers=(_RBO,),
        plots=("degradation",),
        options={"length": Option(minimum=2)},
        progress="rankings",
    ),
)

STUDIES: tuple[Study, ...] = (
    *_DEPTH_STUDIES,
    *_STUDIES_OF_MISSING_JUDGMENTS,
    *_STUDIES_OF_MEASURES,
    *_STUDIES_OF_TOPICS,
    *_STUDIES_OF_VARIATION,
    *_STUDIES_OF_RANKINGS,
)
"""Every study, by the question it answers."""
