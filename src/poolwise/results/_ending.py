"""How a process ends that a library ends; light, since it is asked for before all else."""

from poolwise.native_loading import load_library

__all__ = ["let_libraries_end_with"]


def let_libraries_end_with(code: int) -> None:
    """Let a library that ends the process itself, as OpenBLAS does without memory, end it so.

    It would take 1, which says no to whoever asked a command. The command ends by os._exit alone,
    so that whatever else ends the process is one of these.
    """
    library = load_library(__file__, "rows")
    if library is not None:
        library.poolwise_end_with(int(code))
