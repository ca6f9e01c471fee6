"""What a parameter means wherever it appears, and what options were called before."""

__all__ = ["MADE_BY", "OF_TYPES", "PARAMETERS", "RENAMED"]

PARAMETERS = {
    "judgments": "Judgments, or whatever :func:`~poolwise.read_judgments` reads: a path, a dict, "
    "a frame.",
    "runs": "Runs, or whatever :func:`~poolwise.read_runs` reads: paths, globs and folders, dicts, "
    "frames.",
    "evidence": "Runs that were met with judgments (:func:`~poolwise.align`).",
    "table": "Scores by system and topic.",
    "first": "Items of any hashable kind, best first, each at one place.",
    "second": "Items of any hashable kind, best first, each at one place.",
    "tables": "Scores of the same systems, one table per measure.",
    "measure": "A measure, or its name.",
    "measures": "Measures or their names; one alone is fine.",
    "baseline": "Compare every other run with this one, or with each of several; by default all "
    "pairs are compared.",
    "topics": "All judged topics (``judged``), those of them that every run answers (``common``), "
    "or these: topics, or a file with one in each line.",
    "reading": "How files are read: ties, duplicates, malformed lines, negative grades. With "
    "objects that are read already it is an error.",
    "grades": "The grades that a document can have; by default 0 and the positive ones of the "
    "judgments.",
    "universe": "The unjudged documents that ranges are over: see ``UNIVERSES``.",
    "universe_depth": "Down to which rank of the lists; by default the measure's cut-off, or whole "
    "lists.",
    "groups": "Where each run comes from: an object, a file, a dict, or ``names`` for the "
    "beginnings of names.",
    "pooled": "The runs that formed the pool; by default those that are judged to its depth.",
    "card": "What is known of the runs that made the pool, where these are not at hand: a card of "
    ":func:`~poolwise.make_card`, or its file. In place of depth and pooled runs.",
    "adaptive": "Whether each judgment decided what was judged next, so that no range is "
    "calibrated.",
    "queries": "What topics ask: a dict by id, or a file of topics (TREC, JSONL, lines with id, "
    "tab and query).",
    "documents": "What documents say: a dict by id, or a file (JSONL, Parquet, lines with id, tab "
    "and text), a folder of such files or of one file for each document, or ``irds:`` and a "
    "dataset.",
    "people": "The authors that are people, by name; ``*`` stands for any letters. A file that "
    "names its assessors and no model is by people; one that says nothing is taken as a machine's.",
    "scale": "The grades that a label can have; a label off the scale is missing, and counted.",
    "texts": "The text of each topic's query, as a dict or a file, for labels that have "
    "texts in the place of ids, as umbrela's have.",
    "passages": "The text of each document, as a dict or a file, for labels that have no ids.",
    "path": "The file.",
    "treatment": "How unjudged documents are treated; by default they are not relevant.",
    "rel": "The lowest grade that counts as relevant.",
    "test": "The significance test: a key of ``TESTS``.",
    "correction": "How p values are corrected for the number of comparisons: a key of "
    "``CORRECTIONS``.",
    "alternative": "Which differences count: two-sided, greater or less.",
    "alpha": "The significance level.",
    "power": "The chance to find the difference.",
    "delta": "The difference to detect.",
    "simulations": "How many experiments are simulated.",
    "level": "The level of confidence of intervals.",
    "resamples": "How many resamples a randomized test takes.",
    "draws": "How many draws to take.",
    "rng": "Seed or Generator; the same seed gives the same numbers.",
    "workers": "How many processes share the work: -1 takes all cores, None leaves it to "
    ":func:`joblib.parallel_config`. The numbers are the same with any number.",
    "progress": "Called with the number of steps done, and of all.",
}
"""Texts for parameters that mean the same everywhere; one in a docstring goes before."""

OF_TYPES = {
    "Judgments": "What was judged (:func:`~poolwise.read_judgments`).",
    "Runs": "What was retrieved (:func:`~poolwise.read_runs`).",
    "Nominations": "Ranks of the judged documents (:func:`~poolwise.nominate`).",
    "Evidence": PARAMETERS["evidence"],
    "Grades": PARAMETERS["evidence"],
    "Graded": PARAMETERS["evidence"],
}
"""The same for what is read already, by its type: its name may mean more elsewhere."""

_IN_READING = ("ties", "duplicates", "malformed", "negative", "names", "layout", "max_ratio")

RENAMED: dict[str, tuple[str, ...]] = {
    "seed": ("rng",),
    "level": ("rel",),
    "baselines": ("baseline",),
    "systems": ("runs",),
    "measure": ("measures",),
    **{name: (f"reading=Reading({name}=…)",) for name in _IN_READING},
    "ties": ("tied", "reading=Reading(ties=…)"),
}
"""What options were called before, or where they stand now; the first that a function has."""

MADE_BY = {
    "Judgments": "read_judgments(…)",
    "Runs": "read_runs(…)",
    "Reading": "Reading(ties=…)",
    "Groups": "read_groups(…)",
    "Nominations": "nominate(judgments, runs)",
    "Evidence": "align(judgments, runs)",
    "Grades": "align(judgments, runs)",
    "Graded": "align(judgments, runs)",
    "Measure": "'nDCG@10'",
    "ScoreTable": "evaluate(judgments, runs, measures)[measure], or score(evidence, measure)",
    "Comparisons": "compare(judgments, runs, measures)[measure]",
    "Table": "Table.of(…)",
    "Gate": "gate(judgments, candidate, baseline=…)",
    "ndarray": "a list of numbers, such as [0.5, 0.25]",
}
"""How to get what a function takes, by the name of its type."""
