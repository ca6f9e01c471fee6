"""One tool scoring one set of files, in a process of its own: ``python -m bench.peers TOOL …``.

Prints seconds from files on disk to per-topic scores, imports not counted, those of all processors,
the peak memory of the process in MB, and the mean AP, so that the caller can see that the tools did
the same work. Every tool computes AP, nDCG, P@10, RR, Bpref and Rprec; RBP as well where the tool
has it.
"""

import gzip
import importlib.util
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

from bench.processes import peak_megabytes


def poolwise(qrels: str, runs: list[str]) -> Callable[[], float]:
    """Score with poolwise, RBP included."""
    import poolwise as pw
    import poolwise.scores._scoring  # the public names load late

    names = ["AP", "nDCG", "P@10", "RBP(p=0.8)", "RR", "Bpref", "Rprec"]

    def work() -> float:
        return float(pw.evaluate(qrels, runs, names, bounds="none")["AP"].means().mean())

    return work


def pytrec_eval(qrels: str, runs: list[str]) -> Callable[[], float]:
    """Score with pytrec_eval-terrier."""
    import pytrec_eval as tool

    names = {"map", "ndcg", "P_10", "recip_rank", "bpref", "Rprec"}

    def work() -> float:
        with opened(qrels) as file:
            judge = tool.RelevanceEvaluator(tool.parse_qrel(file), names)
        total = 0.0
        for path in runs:
            with opened(path) as file:
                scores = judge.evaluate(tool.parse_run(file))
            total += sum(s["map"] for s in scores.values()) / len(scores)
        return total / len(runs)

    return work


def ir_measures(qrels: str, runs: list[str]) -> Callable[[], float]:
    """Score with ir_measures, topic by topic."""
    import ir_measures as tool
    from ir_measures import AP, RR, Bpref, P, Rprec, nDCG

    names = [AP, nDCG, P @ 10, RR, Bpref, Rprec]

    def work() -> float:
        judge = tool.evaluator(names, list(tool.read_trec_qrels(read(qrels))))
        total = 0.0
        for path in runs:
            metrics = [
                m for m in judge.iter_calc(tool.read_trec_run(read(path))) if m.measure == AP
            ]
            total += sum(m.value for m in metrics) / len(metrics)
        return total / len(runs)

    return work


def ranx(qrels: str, runs: list[str]) -> Callable[[], float]:
    """Score with ranx, compiled beforehand; it needs plain files with known endings."""
    from ranx import Qrels, Run, evaluate

    names = ["map", "ndcg", "precision@10", "rbp.80", "mrr", "bpref", "r-precision"]
    tiny = {"q": {"a": 1}}
    evaluate(Qrels(tiny), Run({"q": {"a": 1.0}}), names)

    def work() -> float:
        judged = Qrels.from_file(qrels, kind="trec")
        scores = [
            evaluate(judged, Run.from_file(p, kind="trec"), names, make_comparable=True)
            for p in runs
        ]
        return sum(float(s["map"]) for s in scores) / len(runs)

    return work


def opened(path: str) -> IO[str]:
    """Open a plain or gz file as text."""
    return gzip.open(path, "rt") if path.endswith(".gz") else Path(path).open()


def read(path: str) -> str:
    """Return the text of a plain or gz file."""
    with opened(path) as file:
        return file.read()


TOOLS: dict[str, Callable[[str, list[str]], Callable[[], float]]] = {
    "poolwise": poolwise,
    "pytrec_eval": pytrec_eval,
    "ir_measures": ir_measures,
    "ranx": ranx,
}


def main(arguments: list[str]) -> None:
    """Time one tool on one set of files."""
    tool, qrels, *runs = arguments
    work = TOOLS[tool](qrels, runs)
    started, worked = time.perf_counter(), time.process_time()
    mean = work()
    seconds, processor = time.perf_counter() - started, time.process_time() - worked
    megabytes = peak_megabytes()
    print(seconds, processor, megabytes, mean)


def installed(tool: str) -> bool:
    """Say whether a tool can be imported here."""
    return importlib.util.find_spec(tool) is not None


if __name__ == "__main__":
    main(sys.argv[1:])
