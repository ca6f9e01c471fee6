"""Know how much your relevance judgments really tell you."""

from poolwise.late_names import late_names

_attribute, __dir__ = late_names(__name__, __file__)


def __getattr__(name: str) -> object:
    """Return what the front door names; the version is looked up when it is asked for."""
    if name == "__version__":
        from poolwise.printout.provenance import installed_version  # noqa: PLC0415, late: slow

        return installed_version()
    return _attribute(name)
