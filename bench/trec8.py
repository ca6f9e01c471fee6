"""Where TREC-8 is, for benchmarks that want real files."""

import os
from pathlib import Path

BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"


def trec8_folder() -> Path | None:
    """Return the folder of TREC-8 under ``POOLWISE_DATA`` or beside the checkout, if there is."""
    folder = Path(os.environ.get("POOLWISE_DATA", BESIDE)) / "trec8"
    return folder if folder.is_dir() else None
