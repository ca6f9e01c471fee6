"""The version and its year, in the one place that everything else reads them from."""

__all__ = ["RELEASE_YEAR", "__version__"]

__version__ = "0.2.0"
RELEASE_YEAR = 2026
