"""How far labels of people and machines agree, and what that means for conclusions."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import combinations
from math import comb

import numpy as np

from poolwise.arrays import Floats
from poolwise.collection._labels import Author, Labels
from poolwise.errors import OptionError
from poolwise.findings.labels._agreement_counts import (
    ALPHAS,
    FEWEST_TOPICS,
    KAPPAS,
    Estimate,
    alpha,
    binary_kappa,
    coincidences,
    confusions,
    jackknife,
    kappa,
)
from poolwise.findings.labels._conclusions import Conclusions
from poolwise.findings.labels._favoured_runs import Excess
from poolwise.results._columns import Columns, stack_columns
from poolwise.results._finding import FindingByTopic, finding
from poolwise.results._tables import Cell, Column, Table
from poolwise.words import are, counted, named, range_text, signed

__all__ = ["LabelAgreement", "SetPair", "agreement_of"]

_FEW_TOPICS = 20
_MANY_FAILED = 0.05
_NAMED = 4
_TWO = 2
_MANY_SETS = 4
"""From so many sets on, their pairs are shown as a matrix, too."""
_MANY_LABELS = 100
"""From so many equal labels on, two sets are copies of each other."""
_QUADRATIC = (
    "The interval of the quadratic κ was seen to hold about 91% of the time, whatever the number "
    "of topics."
)
_UNHEARD = "Machine labels enter no range over judgments."


@dataclass(frozen=True, eq=False)
class SetPair:
    """Two sets of labels on the documents that both have.

    Attributes
    ----------
    first, second : Author
        Who gave them; the first is the reference, where there is one.
    scales : tuple of two float arrays
        The grades of each.
    counts : float array, topics × grades of the first × grades of the second
        How often grades met, of the topics that have documents with both.
    topics : tuple of str
        Those topics.
    comparable : bool
        Whether both are on one scale; κ of grades is undefined where they are not.
    """

    first: Author
    second: Author
    scales: tuple[Floats, Floats]
    counts: Floats
    topics: tuple[str, ...]
    comparable: bool

    @property
    def documents(self) -> int:
        """How many documents both labelled."""
        return int(self.counts.sum())

    @property
    def confusion(self) -> Floats:
        """How often grades met, over all topics."""
        return self.counts.sum(axis=0)

    @property
    def agreement(self) -> float:
        """The share of documents with the same grade."""
        if not self.comparable or not self.documents:
            return float("nan")
        return float(np.trace(self.confusion) / self.documents)

    @property
    def shift(self) -> Estimate:
        """How much higher the second grades, on average, with its interval over topics."""
        apart = self.scales[1][None, :] - self.scales[0][:, None]
        return jackknife(self.counts, partial(_mean_of, apart), transformed=False)

    @cached_property
    def kappas(self) -> dict[str, Estimate]:
        """κ by its kind; none where the scales differ."""
        if not self.comparable:
            return {}
        return {
            name: jackknife(self.counts, partial(kappa, weights=weights(self.scales[0])))
            for name, weights in KAPPAS.items()
        }

    @cached_property
    def at_levels(self) -> dict[tuple[float, float], Estimate]:
        """κ of relevance at every pair of levels; at equal ones alone on one scale."""
        first, second = (scale.tolist() for scale in self.scales)
        pairs = [(a, b) for a in range(1, len(first)) for b in range(1, len(second))]
        wanted = [(a, b) for a, b in pairs if not self.comparable or a == b]
        return {
            (first[a], second[b]): jackknife(self.counts, partial(binary_kappa, rows=a, columns=b))
            for a, b in wanted
        }

    @cached_property
    def alphas(self) -> dict[str, float]:
        """Krippendorff's α of the two, by its kind."""
        if not self.comparable:
            return {}
        both = self.confusion + self.confusion.T
        return {kind: float(alpha(both, self.scales[0], kind)) for kind in ALPHAS}

    def statistics(self) -> Iterator[tuple[str, Estimate]]:
        """Go through all that is known of the two, by name."""
        yield "agreement", Estimate(self.agreement, topics=len(self.topics))
        for name, estimate in self.kappas.items():
            yield ("kappa" if name == "nominal" else f"kappa_{name}"), estimate
        for (a, b), estimate in self.at_levels.items():
            yield f"kappa_{a:g}_{b:g}", estimate
        for name, value in self.alphas.items():
            yield f"alpha_{name}", Estimate(value, topics=len(self.topics))
        if self.comparable:
            yield "shift", self.shift


def _mean_of(values: Floats, counts: Floats) -> Floats:
    return np.asarray((values * counts).sum(axis=(-2, -1)) / counts.sum(axis=(-2, -1)))


@finding
class LabelAgreement(FindingByTopic):
    """How far sets of labels agree, and what they make of conclusions about runs.

    Attributes
    ----------
    labels : Labels
        All sets, the reference first.
    reference : str
        The set that the others are compared with; empty where all are with all.
    pairs : tuple of SetPair
    people_alpha : dict from str to Estimate
        Krippendorff's α of the people beside the reference, by its kind.
    sets_alpha : dict from str to Estimate
        That of all sets, where no set is the reference and not all are by people.
    conclusions : dict from str to Conclusions
        What each set makes of the runs, where runs were given.
    excesses : dict from str to Excess
        Which runs each set favours.
    same_model : tuple of str
        Runs that were declared to use the model that gave the labels.

    Examples
    --------
    >>> from poolwise.collection import Labels, join_labels
    >>> nist = Labels.from_dict("NIST", {"1": {"a": 1, "b": 0, "c": 1}}, machine=False)
    >>> gpt = Labels.from_dict("gpt", {"1": {"a": 1, "b": 0, "c": 0}})
    >>> agreement = agreement_of(join_labels([nist, gpt]), reference="NIST")
    >>> round(agreement.pairs[0].kappas["nominal"].value, 4)
    0.4
    """

    labels: Labels
    reference: str
    pairs: tuple[SetPair, ...]
    people_alpha: dict[str, Estimate]
    conclusions: dict[str, Conclusions]
    excesses: dict[str, Excess]
    same_model: tuple[str, ...] = ()
    sets_alpha: dict[str, Estimate] = field(default_factory=dict)

    def columns(self, *, per_topic: bool = True) -> Columns:
        """Return one row per number: which sets, what, the value and its interval.

        With topics, each pair also has its plain κ on each topic, and whoever has α, α.
        """
        parts = [self._pair_columns(pair) for pair in self.pairs]
        parts += [self._topic_columns(pair) for pair in self.pairs if per_topic and pair.comparable]
        for who, alphas in (("people", self.people_alpha), ("sets", self.sets_alpha)):
            parts.append(_rows(who, "", [(f"alpha_{k}", e) for k, e in alphas.items()]))
            if alphas and per_topic:
                parts += self._topic_alpha_columns(who)
        parts += [_rows(name, self.reference, _effects(c)) for name, c in self.conclusions.items()]
        parts += [_rows(name, self.reference, _excesses(e)) for name, e in self.excesses.items()]
        return stack_columns(parts)

    def _pair_columns(self, pair: SetPair) -> Columns:
        return _rows(pair.second.name, pair.first.name, pair.statistics(), pair.documents)

    def _topic_columns(self, pair: SetPair) -> Columns:
        kappas = kappa(pair.counts, KAPPAS["nominal"](pair.scales[0])).tolist()
        rows = [("kappa", Estimate(value, topics=1)) for value in kappas]
        made = _rows(pair.second.name, pair.first.name, rows)
        counts = pair.counts.sum(axis=(1, 2)).astype(int).tolist()
        return made | {"of": list(pair.topics), "documents": counts}

    def _topic_alpha_columns(self, who: str) -> Iterator[Columns]:
        """Yield one row per topic and kind of α."""
        topics, documents, alphas = self._alphas_by_topic()
        for kind, values in alphas.items():
            rows = [(f"alpha_{kind}", Estimate(value, topics=1)) for value in values]
            yield _rows(who, "", rows) | {"of": topics, "documents": documents}

    def _alphas_by_topic(self) -> tuple[list[str], list[int], dict[str, list[float]]]:
        """Return the topics with two labels of a document, how many such, and α by its kind."""
        grades = self.labels.matrix()[self._with_alpha()]
        topic, scale = self.labels.topic_of_document, _scale(self.labels, grades)
        several = (~np.isnan(grades)).sum(axis=0) >= _TWO
        documents = np.bincount(topic[several], minlength=len(self.labels.topics))
        counts = coincidences(grades, topic, scale)
        names = [self.labels.topics[t] for t in np.flatnonzero(documents).tolist()]
        alphas = {kind: alpha(counts, scale, kind).tolist() for kind in ALPHAS}
        return names, documents[documents > 0].tolist(), alphas

    def _with_alpha(self) -> list[int]:
        """Return the places of the sets that α is of: people, or all where there are few."""
        people = _people(self.labels, self.reference)
        return people if self.people_alpha else list(range(len(self.labels.authors)))

    def topic_table(self) -> Table:
        """Return agreement on each topic: α, or κ of each pair where there is no α."""
        if self.people_alpha or self.sets_alpha:
            topics, documents, alphas = self._alphas_by_topic()
            titles = (Column("topic"), Column("documents"), *(Column(f"{k} α", 4) for k in alphas))
            rows = tuple(zip(topics, documents, *alphas.values(), strict=True))
            return Table(titles, rows, "Krippendorff's α on each topic")
        by_pair = [self._topic_columns(pair) for pair in self.pairs if pair.comparable]
        of = ("of", "set", "with", "documents", "value")
        titles = (*map(Column, ("topic", "set", "with", "documents")), Column("κ", 4))
        rows = tuple(row for c in by_pair for row in zip(*(c[name] for name in of), strict=True))
        return Table(titles, rows, "Cohen's κ on each topic")

    def tables(self) -> tuple[Table, ...]:
        """Return agreement, α of people, effects on conclusions, and favoured runs."""
        return (*self.agreement_tables(), *self.conclusion_tables(), *self.favoured_tables())

    def agreement_tables(self) -> tuple[Table, ...]:
        """Return what is known of sets of labels alone: κ, κ of relevance, α of people."""
        tables = (
            self._agreement_table(),
            self._matrix(),
            self._level_table(),
            _alpha_table(self.people_alpha, "Krippendorff's α of the people"),
            _alpha_table(self.sets_alpha, "Krippendorff's α of all sets"),
        )
        return tuple(table for table in tables if table is not None)

    def _agreement_table(self) -> Table | None:
        shown = [pair for pair in self.pairs if pair.comparable]
        if not shown:
            return None
        levels = sorted({level for pair in shown for level, _ in pair.at_levels})
        titles = ("set", "with", "κ", "95%", "topics", "documents", "same grade", "by")
        more = ("linear κ", "quadratic κ", *(f"κ ≥ {level:g}" for level in levels), "ordinal α")
        digits = {"same grade": 3, "κ": 4} | dict.fromkeys(more, 4)
        columns = tuple(Column(title, digits.get(title)) for title in (*titles, *more))
        rows = tuple(_agreement_row(pair, levels) for pair in shown)
        return Table(columns, rows, title="Agreement")

    def _matrix(self) -> Table | None:
        """Return κ of all pairs at a glance, as papers print it, with the quadratic one above.

        Nothing where a set is the reference, or where a glance at the rows does.
        """
        names, pairs = self.labels.names, len(self.pairs)
        # A matrix of dashes would be no help.
        if self.reference or len(names) < _MANY_SETS or pairs < comb(len(names), 2) / 2:
            return None
        place = {name: i for i, name in enumerate(names)}
        cells: list[list[Cell]] = [[None] * len(names) for _ in names]
        for pair in self.pairs:
            if pair.comparable:
                i, j = sorted((place[pair.first.name], place[pair.second.name]))
                cells[j][i] = pair.kappas["nominal"].value
                cells[i][j] = pair.kappas["quadratic"].value
        columns = (Column("set"), *(Column(str(i + 1), 3) for i in range(len(names))))
        rows = tuple((f"{i + 1} {name}", *cells[i]) for i, name in enumerate(names))
        return Table(columns, rows, "κ of each pair below the diagonal, quadratic κ above")

    def _level_table(self) -> Table | None:
        """Return κ at every pair of levels, of sets whose scales differ."""
        rows = [
            (pair.second.name, f"≥ {b:g}", pair.first.name, f"≥ {a:g}", e.value, _interval(e))
            for pair in self.pairs
            if not pair.comparable
            for (a, b), e in pair.at_levels.items()
        ]
        titles = ("set", "from", "with", "from", "κ", "95%")
        columns = tuple(Column(title, 4 if title == "κ" else None) for title in titles)
        note = "The scales differ; whoever takes the best pair of levels has chosen it by looking."
        return Table(columns, tuple(rows), "Agreement on relevance", (note,)) if rows else None

    def conclusion_tables(self) -> tuple[Table, ...]:
        """Return what each set makes of orders and differences of runs; none without runs."""
        if not self.conclusions:
            return ()
        titles = ("set", "bias", "τ_b", "τ_AP", "top 15 τ_b", "significant by people")
        rows = [
            (
                name,
                c.bias,
                c.tau,
                c.tau_ap,
                c.top,
                c.significant,
                c.kept,
                c.lost,
                c.reversed,
                c.gained,
            )
            for name, c in self.conclusions.items()
        ]
        columns = [Column(t, 4 if 0 < i < 5 else None) for i, t in enumerate(titles)]
        columns += [Column(t) for t in ("kept", "lost", "reversed", "gained")]
        measure = next(iter(self.conclusions.values())).measure
        return (Table(tuple(columns), tuple(rows), title=f"Effect on conclusions by {measure}"),)

    def means_by_set(self) -> Columns:
        """Return one row per set and run: its mean by people, and by the labels of the set."""
        return {
            "set": [name for name, c in self.conclusions.items() for _ in c.systems],
            "run": [run for c in self.conclusions.values() for run in c.systems],
            "people": [x for c in self.conclusions.values() for x in c.human.tolist()],
            "labels": [x for c in self.conclusions.values() for x in c.machine.tolist()],
        }

    def favoured_tables(self) -> tuple[Table, ...]:
        """Return the runs that each set favours; none where it favours nobody."""
        rows = [
            (
                name,
                run,
                float(e.value[s]),
                f"± {e.half_width[s]:.3f}",
                float(e.pvalue[s]),
                _mark(run, self),
            )
            for name, e in self.excesses.items()
            for run in e.favoured
            for s in [e.systems.index(run)]
        ]
        titles = ("set", "favoured run", "grades per document", "95%", "p", "declared")
        columns = tuple(
            Column(t, 4 if i in (2, 4) else None, is_p=t == "p") for i, t in enumerate(titles)
        )
        # Where nothing was declared, there is nothing to say of it.
        kept = len(titles) if self.same_model else len(titles) - 1
        table = Table(columns[:kept], tuple(row[:kept] for row in rows), title="Favoured runs")
        return (table,) if rows else ()

    def sentences(self) -> tuple[str, ...]:
        """Say what these files support, the worst news first."""
        return (
            self.supported(),
            *self._about_people(),
            *self.about_conclusions(),
            *self.about_favoured(),
            *self._about_prompts(),
            *self.caveats(),
        )

    def about_agreement(self) -> tuple[str, ...]:
        """Say where machines stand among people, and how far sets of one model are apart."""
        return (*self._about_people(), *self._about_prompts())

    def about_conclusions(self) -> tuple[str, ...]:
        """Say what becomes of significant differences and of the order of runs, by set."""
        return tuple(said for name, c in self.conclusions.items() for said in _about(name, c))

    def about_favoured(self) -> tuple[str, ...]:
        """Say which runs each set favours, and what it could not have seen."""
        sentences = (self._about_excess(name, e) for name, e in self.excesses.items())
        return (*sentences, *self._about_same_model())

    def supported(self) -> str:
        """Say in one sentence what the files support."""
        if not self.conclusions:
            return self._about_alpha() if not self.reference else self._about_reference()
        name, best = min(self.conclusions.items(), key=lambda item: _changed(item[1]))
        total = len(best.systems) * (len(best.systems) - 1) // 2
        if not _changed(best):
            return (
                f"By the labels of {name} all {counted(total, 'pair')} of runs come out as by "
                f"{self.reference}, on these topics and runs."
            )
        return (
            f"No set of these labels can stand in for {self.reference}: with the best, {name}, "
            f"{_changed(best):,} of {counted(total, 'pair')} of runs change between significant "
            f"and not, or their sign; together with people's labels on some topics or documents "
            "(estimate with labels) they give intervals that hold."
        )

    def _about_alpha(self) -> str:
        """Say how far sets agree where none of them is the reference."""
        alphas, who = self.people_alpha or self.sets_alpha, self._with_alpha()
        if not alphas:
            return "The scales of the sets differ: they agree on relevance as the table says."
        ordinal = alphas["ordinal"]
        kinds = "people" if self.people_alpha else "sets of labels"
        over = f"{_interval(ordinal)} over " if ordinal.has_interval else "over "
        said = (
            f"Krippendorff's ordinal α of {len(who)} {kinds} is {ordinal.value:.3f} ({over}"
            f"{counted(ordinal.topics, 'topic')})"
        )
        pairs = [pair for pair in self.pairs if pair.comparable and len(who) > _TWO]
        extremes = _extremes(pairs, _both)
        return f"{said}; κ of a pair goes from {extremes}." if extremes else f"{said}."

    def _about_reference(self) -> str:
        """Say how far sets agree with the reference, where there are no runs."""
        with_it = [p for p in self.pairs if p.first.name == self.reference and p.comparable]
        defined = [p for p in with_it if p.kappas["nominal"].has_value]
        more = "κ does not tell whether runs compare alike: add runs"
        if not defined:
            return f"These files say how far labels agree with those of {self.reference}; {more}."
        if len(defined) > 1:
            return f"κ with {self.reference} goes from {_extremes(defined, _second)}; {more}."
        plain = defined[0].kappas["nominal"]
        over = f"{_interval(plain)} over " if plain.has_interval else "over "
        return (
            f"{defined[0].second.name} agrees with {self.reference} with a κ of {plain.value:.3f} "
            f"({over}{counted(plain.topics, 'topic')}); {more}."
        )

    def _about_people(self) -> Iterator[str]:
        others = [p for p in self.pairs if p.first.name == self.reference and p.comparable]
        people = [p.kappas["nominal"].value for p in others if not p.second.machine]
        machines = [p for p in others if p.second.machine]
        if len(people) < 2 or not machines:
            return
        low, high = min(people), max(people)
        for pair in machines:
            here = self._on_documents_of_people(pair)
            inside = "inside" if low <= here <= high else "below" if here < low else "above"
            yield (
                f"On the documents that people labelled again, κ of {pair.second.name} with "
                f"{self.reference} is {here:.3f}: {inside} the range of the people, "
                f"{range_text(low, high, digits=3)}."
            )

    def _on_documents_of_people(self, pair: SetPair) -> float:
        grades = self.labels.matrix()
        again = ~np.isnan(grades[_people(self.labels, self.reference)]).all(axis=0)
        place = self.labels.names.index
        first, second = (
            np.where(again, grades[place(a.name)], np.nan) for a in (pair.first, pair.second)
        )
        counts = confusions(first, second, self.labels.topic_of_document, pair.scales)
        return float(kappa(counts.sum(axis=0), KAPPAS["nominal"](pair.scales[0])))

    def _about_excess(self, name: str, excess: Excess) -> str:
        if np.isnan(excess.visible).all():
            return f"There are too few topics to tell whether {name} favours runs."
        seen = float(np.median(excess.visible))
        could = (
            f"half of the runs would have been named at an excess of {seen:.3f} grades per "
            "document, with a chance of 80%"
        )
        if not excess.favoured:
            return f"{name} favours no run beyond chance, which acquits none: {could}."
        runs = f"{named(excess.favoured, most=_NAMED)}"
        return (
            f"{name} grades the documents of {counted(len(excess.favoured), 'run')} higher than "
            f"people's grades explain ({runs}); that alone is no preference for its own kind, and "
            f"others may be favoured by less: {could}."
        )

    def _about_same_model(self) -> Iterator[str]:
        for name, excess in self.excesses.items():
            for run in self.same_model:
                s = excess.systems.index(run)
                yield (
                    f"{run} was declared to use the model of the labels: its means by {name} are "
                    f"not shown; its excess is {signed(float(excess.value[s]), digits=3)} ± "
                    f"{excess.half_width[s]:.3f} grades per document."
                )

    def _about_prompts(self) -> Iterator[str]:
        """Say how far sets of one model are apart: by prompt, or from one version to the next."""
        models: dict[str, list[str]] = {}
        for author in self.labels.authors:
            if author.machine and author.model:
                models.setdefault(author.model, []).append(author.name)
        for model, names in models.items():
            if len(names) > 1:
                yield from self._spread(model, names)

    def _spread(self, model: str, names: list[str]) -> Iterator[str]:
        kappas = [
            p.kappas["nominal"].value
            for p in self.pairs
            if p.first.name == self.reference and p.second.name in names and p.comparable
        ]
        if len(kappas) > 1:
            yield (
                f"Over {counted(len(names), 'set')} of {model}, κ with {self.reference} goes from "
                f"{range_text(min(kappas), max(kappas), digits=3)}."
            )
        tops = [self.conclusions[name].top for name in names if name in self.conclusions]
        if len(tops) > 1:
            yield f"The τ_b of the best 15 goes from {range_text(min(tops), max(tops), digits=2)}."
        for pair in self.pairs:
            if pair.first.name in names and pair.second.name in names and pair.comparable:
                moved = pair.shift
                yield (
                    f"From {pair.first.name} to {pair.second.name}, grades move by "
                    f"{signed(moved.value, digits=3)} on average ({_interval(moved, digits=3)})."
                )

    def caveats(self) -> Iterator[str]:
        """Say what is missing, how far intervals hold, and how many labels are whose."""
        for i, author in enumerate(self.labels.authors):
            failed, total = self.labels.failed_of(i), int((self.labels.author == i).sum())
            if failed:
                many = (
                    "; more than 5% is too many to pass over"
                    if failed > _MANY_FAILED * total
                    else ""
                )
                yield (
                    f"{author.name}: {failed:,} of {counted(total, 'label')} failed and "
                    f"{are(failed)} missing{many}."
                )
        yield from self._lacking()
        topics = [len(pair.topics) for pair in self.pairs]
        if min(topics, default=FEWEST_TOPICS) < FEWEST_TOPICS:
            yield f"A pair with fewer than {FEWEST_TOPICS} topics has no interval."
        if any(FEWEST_TOPICS <= n < _FEW_TOPICS for n in topics):
            yield f"With fewer than {_FEW_TOPICS} topics intervals are too narrow."
        if any(pair.comparable for pair in self.pairs):
            yield _QUADRATIC
        if not self.reference:
            yield "No set is taken as right, and nothing follows for runs."
            if all(author.machine for author in self.labels.authors):
                yield "All sets count as labels by machines: name people with --people or people=."
        yield self._counts()

    def _lacking(self) -> Iterator[str]:
        """Say how many documents of the reference a set has no label for."""
        if not self.reference:
            return
        labelled = ~np.isnan(self.labels.matrix())
        wanted = labelled[self.labels.names.index(self.reference)]
        for author, has in zip(self.labels.authors, labelled, strict=True):
            lacking = int((wanted & ~has).sum())
            if author.machine and lacking:
                yield (
                    f"{author.name} has no label for {counted(lacking, 'document')} of "
                    f"{self.reference}, which are left out, and not taken as 0."
                )

    def _counts(self) -> str:
        machine = np.array([a.machine for a in self.labels.authors], np.bool_)[self.labels.author]
        labelled = ~np.isnan(self.labels.grade)
        people, machines = int((labelled & ~machine).sum()), int((labelled & machine).sum())
        if not machines:
            return f"All {counted(people, 'label')} are by people."
        return f"{counted(people, 'label')} by people, {machines:,} by machines. {_UNHEARD}"


def _alpha_table(alphas: dict[str, Estimate], title: str) -> Table | None:
    rows = [(kind, e.value, _interval(e), e.topics) for kind, e in alphas.items()]
    columns = (Column("α"), Column("value", 4), Column("95%"), Column("topics"))
    return Table(columns, tuple(rows), title) if rows else None


def _extremes(pairs: Sequence[SetPair], name: Callable[[SetPair], str]) -> str:
    """Say which pairs agree least and most by κ; nothing where no pair has κ."""
    defined = [pair for pair in pairs if pair.kappas["nominal"].has_value]
    by_kappa = sorted(defined, key=lambda pair: pair.kappas["nominal"].value)
    ends = (by_kappa[0], by_kappa[-1]) if by_kappa else ()
    return " to ".join(f"{pair.kappas['nominal'].value:.3f} ({name(pair)})" for pair in ends)


def _both(pair: SetPair) -> str:
    return f"{pair.second.name} with {pair.first.name}"


def _second(pair: SetPair) -> str:
    return pair.second.name


def _agreement_row(pair: SetPair, levels: Sequence[float]) -> tuple[Cell, ...]:
    plain = pair.kappas["nominal"]
    return (
        pair.second.name,
        pair.first.name,
        plain.value,
        _interval(plain),
        len(pair.topics),
        pair.documents,
        pair.agreement,
        _kind(pair.second),
        *(pair.kappas[kind].value for kind in ("linear", "quadratic")),
        *(_value(pair.at_levels.get((level, level))) for level in levels),
        pair.alphas["ordinal"],
    )


def _kind(author: Author) -> str:
    return "machine" if author.machine else "person"


def _value(estimate: Estimate | None) -> float:
    return float("nan") if estimate is None else estimate.value


def _interval(estimate: Estimate, digits: int = 3) -> str:
    return range_text(estimate.low, estimate.high, digits=digits)


def _mark(run: str, agreement: LabelAgreement) -> str:
    return "uses the model" if run in agreement.same_model else ""


def _changed(conclusions: Conclusions) -> int:
    return conclusions.lost + conclusions.reversed + conclusions.gained


def _about(name: str, conclusions: Conclusions) -> Iterator[str]:
    if conclusions.significant:
        gone = f"{conclusions.lost:,} are lost, {conclusions.reversed:,} reversed"
        yield (
            f"By {name}, of {conclusions.significant:,} significant differences {gone} and "
            f"{conclusions.kept:,} kept; {conclusions.gained:,} more are claimed."
        )
    low, high = conclusions.tau_resampled
    if low == low:  # noqa: PLR0124 -- NaN without resamples
        top = range_text(*conclusions.top_resampled, digits=2)
        yield (
            f"Its order of runs has τ_b {conclusions.tau:.3f} with people's, under resampled "
            f"topics {range_text(low, high, digits=3)} (top 15: {top})."
        )
    if any(conclusions.undefined):
        people, machine = conclusions.undefined
        yield (
            f"{counted(people, 'topic')} by people and {machine:,} by {name} have no score, and "
            "count 0."
        )


def _rows(
    which: str,
    against: str,
    rows: "Iterator[tuple[str, Estimate]] | Sequence[tuple[str, Estimate]]",
    documents: int | None = None,
) -> Columns:
    listed = list(rows)
    return {
        "set": [which] * len(listed),
        "with": [against] * len(listed),
        "statistic": [name.partition(":")[0] for name, _ in listed],
        "of": [name.partition(":")[2] or "all" for name, _ in listed],
        "value": [float(e.value) for _, e in listed],
        "low": [float(e.low) for _, e in listed],
        "high": [float(e.high) for _, e in listed],
        "topics": [e.topics for _, e in listed],
        "documents": [documents] * len(listed),
    }


def _effects(conclusions: Conclusions) -> Iterator[tuple[str, Estimate]]:
    for name in ("bias", "tau", "tau_ap", "top", "significant"):
        yield name, Estimate(float(getattr(conclusions, name)))
    for name in ("kept", "lost", "reversed", "gained"):
        yield name, Estimate(float(getattr(conclusions, name)))
    for run, human, machine in zip(
        conclusions.systems, conclusions.human, conclusions.machine, strict=True
    ):
        yield f"mean_by_people:{run}", Estimate(float(human))
        yield f"mean_by_set:{run}", Estimate(float(machine))


def _excesses(excess: Excess) -> Iterator[tuple[str, Estimate]]:
    for s, run in enumerate(excess.systems):
        value, half = float(excess.value[s]), float(excess.half_width[s])
        yield f"excess:{run}", Estimate(value, value - half, value + half, excess.topics)
        yield f"excess_p:{run}", Estimate(float(excess.pvalue[s]), topics=excess.topics)
        yield f"excess_visible:{run}", Estimate(float(excess.visible[s]), topics=excess.topics)


def agreement_of(
    labels: Labels,
    *,
    reference: str = "",
    conclusions: dict[str, Conclusions] | None = None,
    excesses: dict[str, Excess] | None = None,
    same_model: Sequence[str] = (),
) -> LabelAgreement:
    """Compare sets of labels: each with the reference, or all with all.

    Where there is a reference, people are compared with each other as well, and so are sets of one
    model.

    Parameters
    ----------
    labels : Labels
        Two sets at least.
    reference : str
        The set that the others are compared with.
    conclusions, excesses, same_model
        What is known of runs: see :class:`LabelAgreement`.
    """
    if len(labels.authors) < 2:
        raise OptionError(
            "labels: agreement is between two sets of labels; got 1. Hint: name another file, or "
            "judgments with against= or --against."
        )
    grades = labels.matrix()
    _refuse_copies(labels, grades)
    scales = [_scale(labels, row) for row in grades]
    pairs = [
        _pair(labels, (grades[i], grades[j]), (scales[i], scales[j]), (i, j))
        for i, j in _wanted(labels, reference)
    ]
    met = tuple(pair for pair in pairs if pair.documents)
    if not met:
        raise OptionError(
            "labels: no two sets label the same document of the same topic. Hint: check that their "
            "ids are those of one collection."
        )
    people = _people(labels, reference)
    several = not reference and len(people) < len(grades) and all(p.comparable for p in met)
    return LabelAgreement(
        labels=labels,
        reference=reference,
        pairs=met,
        people_alpha=_alpha_of(labels, grades, people),
        sets_alpha=_alpha_of(labels, grades, list(range(len(grades)))) if several else {},
        conclusions=conclusions or {},
        excesses=excesses or {},
        same_model=tuple(same_model),
    )


def _refuse_copies(labels: Labels, grades: Floats) -> None:
    """Raise where two sets are the same: nobody agrees on hundreds of documents without fail."""
    for i, j in combinations(range(len(grades)), 2):
        labelled = ~np.isnan(grades[i])
        if labelled.sum() >= _MANY_LABELS and np.array_equal(grades[i], grades[j], equal_nan=True):
            left, right = labels.names[i], labels.names[j]
            raise OptionError(
                f"labels: {left} and {right} are the same {int(labelled.sum()):,} labels. Hint: "
                "give each set once."
            )


def _wanted(labels: Labels, reference: str) -> Iterator[tuple[int, int]]:
    for i, j in combinations(range(len(labels.authors)), 2):
        left, right = labels.authors[i], labels.authors[j]
        people = not (left.machine or right.machine)
        if (
            not reference
            or left.name == reference
            or people
            or (left.model and left.model == right.model)
        ):
            yield i, j


def _scale(labels: Labels, grades: Floats) -> Floats:
    return np.array(labels.declared) if labels.declared else np.unique(grades[~np.isnan(grades)])


def _pair(
    labels: Labels,
    grades: tuple[Floats, Floats],
    scales: tuple[Floats, Floats],
    which: tuple[int, int],
) -> SetPair:
    comparable = _are_alike(*scales)
    whole = np.union1d(*scales)
    used = (whole, whole) if comparable else scales
    topic = labels.topic_of_document
    counts = confusions(*grades, topic, used)
    both = ~np.isnan(grades[0]) & ~np.isnan(grades[1])
    return SetPair(
        first=labels.authors[which[0]],
        second=labels.authors[which[1]],
        scales=used,
        counts=counts,
        topics=tuple(labels.topics[t] for t in np.unique(topic[both]).tolist()),
        comparable=comparable,
    )


def _are_alike(first: Floats, second: Floats) -> bool:
    """Say whether two sets are on one scale, by the grades that they use.

    Relevance alone, or a scale with another highest grade, is another scale. A grade in between
    that nobody gave is no sign of one.
    """
    if not len(first) or not len(second):
        return False
    binary = {len(scale) <= 2 for scale in (first, second)}
    return bool(first[-1] == second[-1]) and len(binary) == 1


def _people(labels: Labels, reference: str) -> list[int]:
    """Return the places of the people beside the reference."""
    return [i for i, a in enumerate(labels.authors) if not a.machine and a.name != reference]


def _alpha_of(labels: Labels, grades: Floats, sets: list[int]) -> dict[str, Estimate]:
    """Return Krippendorff's α of some sets, by its kind; none of one set, or of unlike scales."""
    if len(sets) < _TWO:
        return {}
    scale = _scale(labels, grades[sets])
    counts = coincidences(grades[sets], labels.topic_of_document, scale)
    if not len(counts):
        return {}
    return {kind: jackknife(counts, partial(alpha, scale=scale, kind=kind)) for kind in ALPHAS}
