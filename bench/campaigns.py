"""The judging room: 50 people at once, and documents by id among 8.8 million.

Run as ``python -m bench.campaigns``. Nothing else keeps judgments this way, so that the goals
stand in for a peer: the slowest hundredth of answers within 100 ms, the next document included; an
index of 8.8 million documents within minutes, and a document within 10 ms.
"""

import json
import os
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

from poolwise.collection.formats._topic_files import Topic
from poolwise.store.campaigns._documents import Documents, index_documents
from poolwise.workflows.campaigns._making import add_documents, add_runs, make_campaign
from poolwise.workflows.campaigns._messages import Answer
from poolwise.workflows.campaigns._room import CampaignRoom

PEOPLE, ANSWERS, PAUSE = 50, 40, 0.5
"""Who judge, how many documents each, and for how long a document is looked at, in seconds."""
TOPICS, RUNS, DEPTH = 50, 20, 40
MILLIONS = float(os.environ.get("POOLWISE_DOCUMENTS", "8.8e6"))
GOAL_ANSWER, GOAL_INDEX, GOAL_DOCUMENT = 0.1, 600.0, 0.01


def main() -> None:
    """Time both, and print them beside the goals."""
    with tempfile.TemporaryDirectory() as folder:
        _people(Path(folder))
        _documents(Path(folder), int(MILLIONS))


def _people(folder: Path) -> None:
    campaign = _campaign(folder)
    with CampaignRoom(campaign) as room:
        room.wait(120)
        taken: list[float] = []
        threads = [
            threading.Thread(target=_judge, args=(room, f"person {n}", taken))
            for n in range(PEOPLE)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        documents = len(room.state.answers)
    slowest = float(np.quantile(taken, 0.99))
    print(
        f"{PEOPLE} people, {len(taken):,} answers with the next document: median "
        f"{np.median(taken) * 1000:.0f} ms, slowest hundredth {slowest * 1000:.0f} ms, "
        f"{slowest / GOAL_ANSWER:.2f} of the goal of {GOAL_ANSWER * 1000:.0f} ms "
        f"({documents:,} documents judged)",
        flush=True,
    )


def _campaign(folder: Path) -> Path:
    """Make a campaign of about 20,000 documents that can be judged."""
    rng = np.random.default_rng(1)
    topics = [str(t) for t in range(TOPICS)]
    lists = {
        f"run{r}": {t: {f"d{t}-{d}": 1.0 / (1 + i) for i, d in enumerate(
            np.unique(rng.integers(0, 500, 2 * DEPTH))[:DEPTH].tolist())} for t in topics}
        for r in range(RUNS)
    }  # fmt: skip
    campaign = folder / "campaign"
    made = make_campaign(campaign, depth=DEPTH, batch=400)
    made.write_topics({t: Topic(t, f"query {t}") for t in topics})
    with (folder / "texts.jsonl").open("w") as file:
        for t in topics:
            file.writelines(
                json.dumps({"id": f"d{t}-{d}", "text": f"Words {d} of {t}. " * 60}) + "\n"
                for d in range(500)
            )
    add_documents(campaign, folder / "texts.jsonl")
    add_runs(campaign, lists)
    return campaign


def _judge(room: CampaignRoom, name: str, taken: list[float]) -> None:
    rng = np.random.default_rng(abs(hash(name)) % 2**32)
    work = room.assign(name, 1)
    for number in range(ANSWERS):
        time.sleep(float(rng.exponential(PAUSE)))
        if not work.assignments:
            work = room.assign(name, 1)
            continue
        assignment = work.assignments[0]
        started = time.perf_counter()
        room.record(
            name, [Answer(f"{name.replace(' ', '-')}-{number:04d}", assignment.lease, grade=1)]
        )
        work = room.assign(name, 1)
        taken.append(time.perf_counter() - started)


def _documents(folder: Path, count: int) -> None:
    corpus = folder / "corpus.jsonl"
    words = "the quick brown fox jumps over a lazy dog and writes of relevance " * 5
    with corpus.open("w") as file:
        for first in range(0, count, 100_000):
            file.writelines(
                f'{{"id": "{n}", "text": "{n} {words}"}}\n'
                for n in range(first, min(first + 100_000, count))
            )
    started = time.perf_counter()
    index_documents(folder / "index", corpus)
    built = time.perf_counter() - started
    documents = Documents(folder / "index")
    rng, slow = np.random.default_rng(2), []
    for n in rng.integers(0, count, 2000).tolist():
        started = time.perf_counter()
        assert documents.find(str(n)) is not None  # noqa: S101 -- timed
        slow.append(time.perf_counter() - started)
    print(
        f"{count:,} documents ({corpus.stat().st_size / 1e9:.1f} GB): indexed in {built:.0f} s, "
        f"{built / GOAL_INDEX:.2f} of the goal of {GOAL_INDEX:.0f} s; found in "
        f"{np.median(slow) * 1000:.2f} ms, slowest hundredth {np.quantile(slow, 0.99) * 1000:.2f} "
        f"ms, {np.quantile(slow, 0.99) / GOAL_DOCUMENT:.2f} of the goal of "
        f"{GOAL_DOCUMENT * 1000:.0f} ms",
        flush=True,
    )


if __name__ == "__main__":
    main()
