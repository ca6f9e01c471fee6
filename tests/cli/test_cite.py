"""``poolwise cite``: entries that BibTeX takes, of the methods that a result used."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from click.testing import Result
from tests.each import over

import poolwise as pw
from poolwise.cli.main import QUESTIONS
from poolwise.findings._cited_methods import methods_cited
from poolwise.provenance._references import REFERENCES

Command = Callable[..., Result]
ROOT = Path(__file__).parents[2]


def keys(text: str) -> list[str]:
    """Return the names of the entries."""
    return re.findall(r"^@\w+\{(\w+),$", text, re.MULTILINE)


def test_without_a_result_poolwise_is_cited(run: Command) -> None:
    """The entry names the version that is installed, and a note says how to cite methods."""
    result = run("cite")
    assert keys(result.stdout) == ["poolwise"]
    assert "Name a result" in result.stderr
    assert run("cite", "--quiet").stderr == ""


@pytest.mark.usefixtures("collection")
@pytest.mark.parametrize("target", ["out.tsv", "out.json", "out.tex", "out.md"])
def test_the_methods_of_a_result_are_cited(run: Command, target: str) -> None:
    """Measures and the correction are found in the provenance, wherever it lies."""
    words = ("-m", "nDCG@2", "-m", "INST", "--draws", "0", "--test", "randomization")
    assert run("compare", "qrels.txt", "runs", *words, "-o", target).exit_code == 0
    result = run("cite", target)
    assert keys(result.stdout) == [
        *("poolwise", "moffat2018estimating", "frobe2023bootstrapped", "webber2010measurement"),
        *("jarvelin2002cumulated", "smucker2007comparison", "holm1979simple"),
    ]
    assert "jarvelin2002cumulated is cited for nDCG@2." in result.stderr
    assert "holm1979simple is cited for --correction holm." in result.stderr
    assert "No entry is on file for INST: Bailey, Moffat, Scholer and Thomas 2015." in result.stderr


@pytest.mark.usefixtures("collection")
def test_a_treatment_and_a_study_are_cited(run: Command) -> None:
    """Options count with their values, and studies with their names."""
    run("evaluate", "qrels.txt", "runs", "-m", "P@2", "--treatment", "condensed", "-o", "a.tsv")
    assert "sakai2007alternatives" in keys(run("cite", "a.tsv").stdout)
    run("study", "votes", "qrels.txt", "runs", "--depth", "2", "-o", "b.tsv")
    assert keys(run("cite", "b.tsv").stdout) == ["poolwise", "moffat2018estimating"]


def test_a_file_without_provenance_is_refused(run: Command, tmp_path: Path) -> None:
    """The error says what to name instead."""
    path = tmp_path / "notes.txt"
    path.write_text("nothing")
    refused = run("cite", str(path))
    assert refused.exit_code == 3
    assert "name a file that poolwise wrote with -o" in refused.stderr


def test_every_publication_has_a_name_of_its_own() -> None:
    """Entries are in ASCII, which every BibTeX reads, and no two have the same key."""
    assert len({reference.key for reference in REFERENCES}) == len(REFERENCES)
    for reference in REFERENCES:
        assert reference.bibtex().isascii(), reference
        assert reference.bibtex().count("{") == reference.bibtex().count("}")


def test_citation_cff_names_the_same_papers() -> None:
    """The papers with short names are those of CITATION.cff, with title, authors and year."""
    listed = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["references"]
    theirs = {
        (
            entry["title"],
            entry["year"],
            "; ".join(f"{a['family-names']}, {a['given-names']}" for a in entry["authors"]),
        )
        for entry in listed
    }
    assert theirs == {
        (reference.title, reference.year, reference.authors)
        for reference in REFERENCES
        if reference.short
    }


def test_machine_labels_are_cited_whatever_their_file() -> None:
    """An option that brings a method along is cited for it, whatever its value is."""
    cited = methods_cited({"command": ["estimate"], "options": {"label_author": "gpt4"}})
    assert [reference.key for reference in cited.references] == [
        "angelopoulos2023predictionpowered",
        "sarndal1992model",
    ]


def test_what_uses_a_publication_exists() -> None:
    """Every command that the bibliography names is one, so that none is cited in vain."""
    commands = {name for names in QUESTIONS.values() for name in names}
    named = {use for reference in REFERENCES for use in reference.uses if "=" not in use}
    assert named <= commands


@over("study", [s for s in pw.studies.STUDIES if s.papers], ids=lambda s: s.name)
def test_a_study_is_cited_for_the_papers_of_its_entry(study: pw.studies.Study) -> None:
    """Every key in the table is that of a publication, so that none is forgotten."""
    assert set(study.papers) <= {reference.key for reference in REFERENCES}


def test_what_measures_cite_is_found() -> None:
    """Each way in which the bibliography is cited in words occurs in the catalogue of measures."""
    text = " ".join(entry.measure.citation for entry in pw.workflows.list_measures().entries)
    assert [reference.cited_as for reference in REFERENCES if reference.cited_as not in text] == []


@pytest.mark.skipif(shutil.which("bibtex") is None, reason="bibtex is not installed")
def test_bibtex_takes_every_entry(tmp_path: Path) -> None:
    """BibTeX reads the whole bibliography without an error or a warning."""
    entries = [pw.workflows.cite().bibtex(), *(reference.bibtex() for reference in REFERENCES)]
    (tmp_path / "found.bib").write_text("\n\n".join(entries))
    (tmp_path / "page.aux").write_text("\\citation{*}\n\\bibstyle{plain}\n\\bibdata{found}\n")
    made = subprocess.run(
        ["bibtex", "page"],  # noqa: S607 -- wherever it is installed
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert made.returncode == 0, made.stdout
    assert [line for line in made.stdout.splitlines() if line.startswith("Warning")] == []
