"""Run every benchmark, or those named: ``python -m bench evaluation pools``."""

import importlib
import sys

BENCHES = (
    "results",
    "evaluation",
    "growth",
    "statistics",
    "comparisons",
    "bounds",
    "differences",
    "bootstrap",
    "relevance_model",
    "labels",
    "pools",
    "similarity",
    "judging",
    "campaigns",
    "judging_room",
)


def main(names: list[str]) -> None:
    """Run the benchmarks one after another, each under its name."""
    for name in names or BENCHES:
        print(f"\n== {name} ==", flush=True)
        importlib.import_module(f"bench.{name}").main()


if __name__ == "__main__":
    main(sys.argv[1:])
