"""A campaign of judging, as commands and Python call it."""

import io
import sqlite3
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import time
from typing import Any

from poolwise.collection._reading import Reading
from poolwise.collection._runs import Runs
from poolwise.errors import InputError, OutputError
from poolwise.evidence._meeting import align
from poolwise.findings.campaigns._assessors import AssessorReport
from poolwise.findings.campaigns._contents import CampaignContents
from poolwise.findings.campaigns._export import CampaignExport
from poolwise.findings.campaigns._status import CampaignStatus
from poolwise.judging._lists import JudgingList, with_first
from poolwise.judging._next import next_of_evidence
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.provenance._files import write_file
from poolwise.provenance._provenance import WITHOUT_FILES
from poolwise.provenance._recorded import recorded
from poolwise.store.campaigns._folder import CampaignFolder
from poolwise.words import counted, named
from poolwise.workflows.campaigns import _making as making
from poolwise.workflows.campaigns._common import recorded_topics
from poolwise.workflows.campaigns._estimates import adjusted_runs
from poolwise.workflows.campaigns._room import CampaignRoom
from poolwise.workflows.campaigns._standing import assessor_report, grades_of, judgments_of
from poolwise.workflows.campaigns._state import RoomState, instant
from poolwise.workflows.campaigns._status import status_of

__all__ = ["Campaign", "campaign"]


@recorded
def campaign(path: str | Path) -> "Campaign":
    """Open a campaign of relevance judging: a folder with topics, runs, documents and a journal.

    Parameters
    ----------
    path
        The folder, which ``poolwise campaign init`` or :meth:`Campaign.make` made.

    Returns
    -------
    Campaign
        What adds to it, says how it stands, and exports its judgments.

    Examples
    --------
    >>> import tempfile
    >>> import poolwise as pw
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = pw.workflows.Campaign.demo(f"{folder}/demo")
    ...     contents = pw.campaign(f"{folder}/demo").contents()
    >>> contents.topics, contents.runs, contents.judgments
    (50, 10, 0)
    """
    return Campaign(CampaignFolder.at(path))


@dataclass(frozen=True)
class Campaign:
    r"""A campaign on disk; :func:`~poolwise.campaign` opens one.

    While ``poolwise campaign serve`` runs on its folder, nothing else may write to it; how it
    stands can be asked at any time.

    Attributes
    ----------
    folder : CampaignFolder
        Where its files are.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = Campaign.make(f"{folder}/tiny", measures=["P@2"], depth=2)
    ...     _ = made.add_runs({"a": {"1": {"x": 2.0, "y": 1.0}}, "b": {"1": {"y": 2.0, "z": 1.0}}})
    ...     Path(folder, "topics.tsv").write_text("1\tred dress")
    ...     _ = made.add_topics(f"{folder}/topics.tsv")
    ...     _ = made.import_judgments({"1": {"x": 1, "y": 0}}, assessor="Ann")
    ...     status = made.status()
    11
    >>> status.columns()["run"], status.columns()["mean"]
    (['a', 'b'], [0.5, 0.0])
    """

    folder: CampaignFolder

    @classmethod
    @recorded
    def make(
        cls,
        path: str | Path,
        *,
        name: str = "",
        measures: Sequence[Measure | str] = making.MEASURES,
        goal: str = "order",
        grades: Sequence[float] = (0, 1, 2, 3),
        depth: int = 10,
        batch: int = 100,
    ) -> "Campaign":
        """Make a new campaign: see :func:`make_campaign`."""
        return cls(
            making.make_campaign(
                path,
                name=name,
                measures=[str(m) for m in measures],
                goal=goal,
                grades=grades,
                depth=depth,
                batch=batch,
            )
        )

    @classmethod
    def demo(cls, path: str | Path) -> "Campaign":
        """Make a campaign with made-up topics, runs and texts: see :func:`make_demo_campaign`."""
        return cls(making.make_demo_campaign(path))

    def __repr__(self) -> str:
        return f"<Campaign {self.folder.path}: {counted(len(self.folder.runs()), 'run')}>"

    def contents(self, news: str = "") -> CampaignContents:
        """Return what the campaign has, and what it lacks before people can judge."""
        runs, documents = self._runs(), self.folder.documents()
        topics = self.folder.topics()
        unread = 0
        if runs is not None and len(documents):
            wanted = {
                document
                for run in runs.systems
                for topic in runs.topics
                if topic in topics
                for document in runs.ranking(run, topic)[: self.folder.settings.depth]
            }
            unread = sum(documents.find(document) is None for document in wanted)
        return CampaignContents(
            name=self.folder.settings.name,
            path=str(self.folder.path),
            topics=len(topics),
            runs=0 if runs is None else len(runs.systems),
            documents=len(documents),
            judgments=self._state().last_entry,
            without_text=unread,
            news=news,
            provenance=WITHOUT_FILES,
        )

    def _runs(self) -> Runs | None:
        files = self.folder.runs()
        return Reading().runs(files) if files else None

    def _state(self) -> RoomState:
        return RoomState.read(self.folder)

    @recorded
    def add_topics(self, source: str | Path) -> CampaignContents:
        """Add topics: a TREC file, JSONL, or lines with an id, a tab and a query."""
        count = making.add_topics(self.folder.path, source)
        return self.contents(f"There are {counted(count, 'topic')} now.")

    @recorded
    def add_documents(self, source: str | Path) -> CampaignContents:
        """Add documents: see ``poolwise campaign add-documents --help`` for what is read."""
        count = making.add_documents(self.folder.path, source)
        return self.contents(f"{counted(count, 'document')} can be found by id now.")

    @recorded
    def add_runs(
        self, runs: Any, *, common: making.Common = None, reading: Reading = Reading()
    ) -> CampaignContents:
        """Add runs; one that comes after judging has begun gets its common topics.

        Parameters
        ----------
        common
            How many topics are drawn, by default ``common_topics`` of the settings; or a record of
            them, or its file, as :func:`~poolwise.next` makes for the goal ``common:N``.
        """
        added = making.add_runs(self.folder.path, runs, common=common, reading=reading)
        recorded_now = recorded_topics(self._state())
        news = _drawn_now({run: recorded_now.of_run(run) for run in added})
        return self.contents(f"Added {named(added, most=10)}.{news}")

    @recorded
    def add_common(self, common: making.Common, *, runs: Sequence[str] = ()) -> CampaignContents:
        """Record more topics on which later runs are judged for their own sake.

        Parameters
        ----------
        common
            How many more are drawn for each run; or a record of them, or its file.
        runs
            Which runs; by default all that came after judging had begun.
        """
        drawn = making.add_common(self.folder.path, common, runs=runs)
        return self.contents(_drawn_now(drawn).strip())

    @recorded
    def import_judgments(
        self, source: Any, *, assessor: str, reading: Reading = Reading()
    ) -> CampaignContents:
        """Take grades in that somebody gave elsewhere: in a sheet, or before the campaign.

        Parameters
        ----------
        source
            An object, or whatever :func:`~poolwise.read_judgments` reads.
        assessor
            Who gave them.
        """
        new, old = making.import_judgments(self.folder.path, source, assessor, reading=reading)
        return self.contents(f"{counted(new, 'judgment')} taken in; {old:,} were there already.")

    @recorded
    def status(self, measure: Measure | str | None = None) -> CampaignStatus:
        """Return how the runs stand: plain, adjusted, estimated, possible, and what is due.

        Parameters
        ----------
        measure
            What runs are scored by; the first of the campaign by default.
        """
        state, runs = self._state(), self._needed_runs()
        wanted = self.folder.settings.measure if measure is None else parse_measure(measure)
        now = max(time(), instant(state.last_at) if state.last_at else 0.0)
        return status_of(state, runs, tuple(self.folder.topics()), wanted, now)

    def _needed_runs(self) -> Runs:
        runs = self._runs()
        if runs is None or not set(self.folder.topics()) & set(runs.topics):
            raise InputError(
                str(self.folder.path),
                "a campaign must have runs with results for its topics",
                remedy="poolwise campaign add-run, or add-topics",
            )
        return runs

    def assessors(self) -> AssessorReport:
        """Return what each assessor has done, and how far they agree."""
        return assessor_report(self._state())

    @recorded
    def next(self, *, budget: int = 100) -> JudgingList:
        """List the documents to judge next, for a sheet.

        Those of later runs on their common topics come first, then those for the goal.

        Parameters
        ----------
        budget
            How many to list. Nothing is reserved: who judges with ``serve`` may get them, too.
        """
        state, settings = self._state(), self.folder.settings
        runs, topics = self._needed_runs(), self.folder.topics()
        grades = grades_of(state.grades())
        judgments = judgments_of(settings, topics, grades)
        asked = tuple(topic for topic in judgments.topics if topic in set(runs.topics))
        evidence = align(judgments.with_topics(runs.topics), runs, topics=asked)
        listed = next_of_evidence(
            evidence, settings.goal, budget=budget, measure=settings.measure, depth=settings.depth,
            rng=settings.seed,
        )  # fmt: skip
        later = adjusted_runs(state, runs, evidence, settings.measure, grades)
        return with_first(
            listed, evidence, {adjusted.run: adjusted.open for adjusted in later}, budget
        )

    @recorded
    def export(self, rule: str = "adjudicated") -> CampaignExport:
        """Write the judgments as the next version of them, into the folder ``exports``.

        Parameters
        ----------
        rule
            What makes one grade of several: a key of ``EXPORT_RULES``, or ``assessor:`` and a name.
        """
        with self._written_to() as room:
            return room.export(rule)

    @contextmanager
    def _written_to(self) -> Iterator[CampaignRoom]:
        with CampaignRoom(self.folder.path, choosing=False) as room:
            yield room

    def backup(self, target: str | Path) -> int:
        """Write settings, topics, runs, exports and the journal of one moment into a ZIP file.

        It can be made while people judge. Documents are not in it: add them again to a folder
        that is unpacked elsewhere.

        Returns
        -------
        int
            How many judgments it holds.
        """
        if Path(target).exists():
            rule = "a backup must be a new file, and this one is there already"
            raise OutputError(str(target), rule, remedy="name another")
        content = io.BytesIO()
        with (
            TemporaryDirectory() as scratch,
            zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive,
        ):
            snapshot = Path(scratch, "journal")
            count = _snapshot(self.folder.journal, snapshot)
            archive.write(snapshot, self.folder.journal.name)
            for path in _small_files(self.folder):
                archive.write(path, path.relative_to(self.folder.path).as_posix())
        write_file(target, content.getvalue())
        return count


def _drawn_now(drawn: Mapping[str, Sequence[str]]) -> str:
    """Say on which topics runs are judged for their own sake."""
    return "".join(
        f" {run} is judged for its own sake on {counted(len(topics), 'topic')}: "
        f"{named(list(topics), most=10)}."
        for run, topics in drawn.items()
        if topics
    )


def _snapshot(journal: Path, target: Path) -> int:
    """Copy a journal as it is at one moment, and check the copy."""
    with (
        closing(sqlite3.connect(f"{journal.resolve().as_uri()}?mode=ro", uri=True)) as source,
        closing(sqlite3.connect(target)) as copy,
    ):
        source.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")  # one file, without a log beside it
        if copy.execute("PRAGMA integrity_check").fetchone() != ("ok",):
            remedy = "restore an older backup"
            raise InputError(str(journal), "the journal must be intact", remedy=remedy)
        return int(copy.execute("SELECT count(*) FROM judgment").fetchone()[0])


def _small_files(folder: CampaignFolder) -> Iterator[Path]:
    yield from (p for p in sorted(folder.path.glob("*")) if p.suffix in (".toml", ".md"))
    yield from (p for p in [folder.path / "topics.jsonl"] if p.is_file())
    for name in ("runs", "exports"):
        yield from sorted(p for p in (folder.path / name).glob("*") if p.is_file())
