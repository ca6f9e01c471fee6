from ._journal_file import JournalFile as JournalFile
from ._ledger_folder import LedgerFolder as LedgerFolder
from ._record_schemas import RESULT_SCHEMA as RESULT_SCHEMA
from ._record_schemas import VERSION_SCHEMA as VERSION_SCHEMA
