"""The native code compiles without a warning, whatever compiler there is."""

import shutil
import subprocess
from pathlib import Path

import pytest

NATIVE = Path(__file__).resolve().parents[1] / "native"
STRICT = ("-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror")
BUILTINS = ("__builtin_", "__int128", "__attribute__", "__restrict", "__SSE2__", "__declspec")


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
@pytest.mark.parametrize("source", ["scanner.cpp", "kernels.cpp", "rows.cpp"])
def test_every_compiler_is_content(compiler: str, source: str) -> None:
    """Nothing in the libraries is taken by one compiler and warned of by another."""
    program = shutil.which(compiler)
    if program is None:
        pytest.skip(f"{compiler} is not installed")
    command = [program, *STRICT, "-fsyntax-only", str(NATIVE / source)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 -- ours
    assert ran.stderr == ""
    assert ran.returncode == 0


@pytest.mark.parametrize("source", ["fuzz.cpp", "fuzz_kernels.cpp", "fuzz_rows.cpp", "starve.cpp"])
def test_the_fuzzers_still_compile(source: str) -> None:
    """What tries the libraries knows their functions as they are."""
    program = shutil.which("g++") or shutil.which("clang++")
    if program is None:
        pytest.skip("no compiler is installed")
    command = [program, "-std=c++20", "-Wall", "-Wextra", "-fsyntax-only", str(NATIVE / source)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 -- ours
    assert (ran.stderr, ran.returncode) == ("", 0)


def test_what_compilers_call_by_names_of_their_own_stands_in_one_file() -> None:
    """Another compiler needs shims in compiler.hpp, and nowhere else."""
    for path in NATIVE.glob("*.?pp"):
        if path.name != "compiler.hpp":
            assert not [word for word in BUILTINS if word in path.read_text()], path
