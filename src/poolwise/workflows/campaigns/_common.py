"""Common topics of a campaign: recorded for later runs, judged first, and written for others."""

from collections.abc import Iterator, Sequence

from poolwise.collection._common_topics import CommonTopics
from poolwise.collection._runs import Runs
from poolwise.store.campaigns._journal import Event
from poolwise.workflows.campaigns._state import Key, RoomState

__all__ = ["known_before", "looks_of", "recorded_topics", "wanted_documents"]


def recorded_topics(state: RoomState) -> CommonTopics:
    """Return the topics on which later runs are judged for their own sake, of all draws."""
    rows = {
        (event.who, topic): (event.data["depth"], event.data["seed"])
        for event in _draws(state)
        for topic in event.data["topics"]
    }
    return CommonTopics(
        tuple(run for run, _ in rows),
        tuple(topic for _, topic in rows),
        tuple(depth for depth, _ in rows.values()),
        tuple(seed for _, seed in rows.values()),
    )


def _draws(state: RoomState, run: str | None = None) -> Iterator[Event]:
    return (e for e in state.events.get("common", ()) if run is None or e.who == run)


def looks_of(state: RoomState, run: str) -> int:
    """Return how often there was something new to see of a later run, since it came.

    Topics were drawn for it, or added to the campaign: whoever looks in between sees the same.
    """
    drawn = [*_draws(state, run)]
    added = [e for e in state.events.get("topics", ()) if drawn and e.id > drawn[0].id]
    return max(1, len(drawn) + len(added))


def known_before(state: RoomState, run: str) -> int:
    """Return the last judgment from before a run came; 0 where it was there from the start."""
    for event in _draws(state, run):
        return int(event.data["known"])
    came = [event for event in state.events.get("run", ()) if event.who == run]
    return sum(entry.answered_at <= came[0].at for entry in state.entries.values()) if came else 0


def wanted_documents(
    common: CommonTopics, runs: Runs, run: str, topics: Sequence[str]
) -> Iterator[Key]:
    """Go through the documents that are judged for a run's sake on these of its topics."""
    for topic, depth in common.depths_of(run):
        if topic in topics:
            yield from ((topic, document) for document in runs.ranking(run, topic)[:depth])
