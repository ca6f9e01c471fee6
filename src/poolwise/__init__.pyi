from .collection.judgments import Judgments as Judgments
from .collection.runs import Runs as Runs
from .evidence.alignment import Evidence as Evidence
from .evidence.alignment import align as align
from .measures.measure import Measure as Measure
from .scores.score_table import ScoreTable as ScoreTable
