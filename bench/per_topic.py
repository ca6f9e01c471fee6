"""What a user of pytrec_eval writes to have the scores of every topic.

Run as ``python -m bench.per_topic OUT QRELS RUN…``.
"""

import sys
from pathlib import Path

import pytrec_eval

NAMES = {"map", "ndcg", "P_10", "recip_rank", "bpref", "Rprec"}


def main(arguments: list[str]) -> None:
    """Write one line per run, topic and measure."""
    output, qrels, *runs = arguments
    with Path(qrels).open() as file:
        judge = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), NAMES)
    with Path(output).open("w") as scores:
        for path in runs:
            with Path(path).open() as file:
                of_topics = judge.evaluate(pytrec_eval.parse_run(file))
            scores.writelines(
                f"{path}\t{topic}\t{name}\t{value}\n"
                for topic, values in of_topics.items()
                for name, value in values.items()
            )


if __name__ == "__main__":
    main(sys.argv[1:])
