"""Every table that the papers print: how many numbers, and how many can be computed here."""

from dataclasses import dataclass

TEXT = "text"
"""In the place of a table's number: what figures and texts say."""
RUNS_LACKING = "the runs are not public: {} would have to be got from NIST"
ROBUST = RUNS_LACKING.format("those of Robust 2004")


@dataclass(frozen=True)
class PublishedTable:
    """A table of a paper.

    Attributes
    ----------
    paper, number : str
    cells : int
        How many numbers it prints.
    coverable : int
        How many of them the data at hand allow to compute.
    why : str
        Why not the others.
    """

    paper: str
    number: str
    cells: int
    coverable: int
    why: str = ""


_WEB = "TREC 2001 Web and TREC 2006 Terabyte have no public matrix of these runs; RBP and nDCG none"
_ENGINES = "the result lists of the web search engines of 2008 were never published"
TABLES = (
    PublishedTable(
        "D10", "1", 36, 10, "Web 2001, Terabyte 2005: no public runs; T5, T04: AP, P@10"
    ),
    PublishedTable("D10", "2", 45, 45),
    PublishedTable("D10", "3", 36, 36),
    PublishedTable(
        "U18",
        "1",
        22,
        16,
        "the runs of TREC-7 and TREC-13 are not public; their judgments are, "
        "and are not at hand: 1606.9 and 1250.6 judged documents",
    ),
    PublishedTable("U18", "2", 24, 0, ROBUST),
    PublishedTable("U18", "3", 18, 6, RUNS_LACKING.format("those of TREC-7 and Robust 2004")),
    PublishedTable("U18", "4", 48, 16, RUNS_LACKING.format("those of TREC-7 and Robust 2004")),
    PublishedTable("U18", "5", 54, 18, RUNS_LACKING.format("those of TREC-7 and Robust 2004")),
    PublishedTable("U18", "6", 60, 0, RUNS_LACKING.format("those of TREC-7")),
    PublishedTable("W10", "3.1", 10, 10),
    PublishedTable("W10", "3.2", 15, 0, RUNS_LACKING.format("those of Terabyte 2004")),
    PublishedTable("W10", "4.1", 16, 16),
    PublishedTable("W10", "4.2", 48, 8, _WEB),
    PublishedTable("W10", "4.3", 4, 4),
    PublishedTable("W10", "4.4", 32, 32),
    PublishedTable("W10", "4.5", 36, 6, _WEB),
    PublishedTable("W10", "4.6", 8, 8),
    PublishedTable("W10", "4.7", 10, 10),
    PublishedTable("W10", "4.8", 44, 22, "no public matrix of RBP, nor of nDCG with this discount"),
    PublishedTable("W10", "4.9", 6, 6),
    PublishedTable("W10", "4.10", 12, 12),
    PublishedTable("W10", "4.11", 6, 6),
    PublishedTable("W10", "4.12", 12, 12),
    PublishedTable(
        "W10", "4.13", 40, 40, "judged documents of TREC-7, 2003 and 2004: public, not at hand"
    ),
    PublishedTable("W10", "5.2", 44, 34, "TREC 4, TREC 9 and 2001 Web, Terabyte: σ has no matrix"),
    PublishedTable("W10", "5.3", 30, 20, "TREC 4, TREC 9 and 2001 Web, Terabyte: no matrix"),
    PublishedTable("W10", "6.1", 20, 9, f"{ROBUST}; one cell is not legible in our copy"),
    PublishedTable("W10", "6.2", 49, 0, ROBUST),
    PublishedTable("W10", "6.3", 49, 0, ROBUST),
    PublishedTable("W10", "6.4", 38, 38),
    PublishedTable("W10", "6.5", 38, 38),
    PublishedTable("W10", "7.2", 28, 0, _ENGINES),
    PublishedTable("W10", "7.3", 3, 0, _ENGINES),
    PublishedTable("W10", "7.4", 16, 0, _ENGINES),
    PublishedTable("W10", "7.5", 28, 0, _ENGINES),
    PublishedTable("G16", "2", 60, 0, RUNS_LACKING.format("those of Robust 2004, Terabyte 2006")),
    PublishedTable("G16", "3", 96, 0, RUNS_LACKING.format("those of Robust 2004, Terabyte 2006")),
    PublishedTable("B23", "1", 9, 9),
    PublishedTable(
        "B23", "3", 40, 40, "from the counts that the authors published; TREC-COVID from qrels"
    ),
    PublishedTable("B23", "4", 54, 0, "the runs of Robust04 and the ClueWeb tracks are not public"),
    PublishedTable("B23", "5", 48, 0, "the runs of Robust04 and the ClueWeb tracks are not public"),
    PublishedTable("B23", "6", 72, 0, "the runs of Robust04 and the ClueWeb tracks are not public"),
    PublishedTable("B23", "7", 70, 70),
    PublishedTable("D10", TEXT, 20, 20),
    PublishedTable("U18", TEXT, 24, 24),
    PublishedTable("W10", TEXT, 69, 69),
    PublishedTable("G16", TEXT, 2, 2),
)
