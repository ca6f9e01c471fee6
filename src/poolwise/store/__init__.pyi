from ._ledger_folder import LedgerFolder as LedgerFolder
from ._ledger_records import MeasuredScores as MeasuredScores
from ._ledger_records import ResultRecord as ResultRecord
from ._ledger_records import VersionRecord as VersionRecord
from ._record_schemas import RESULT_SCHEMA as RESULT_SCHEMA
from ._record_schemas import VERSION_SCHEMA as VERSION_SCHEMA
