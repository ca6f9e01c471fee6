from ._provenance import Provenance as Provenance
from ._recorded import recorded as recorded
from ._references import REFERENCES as REFERENCES
from ._references import Reference as Reference
