from poolwise.scores._scoring import ByMeasure as ByMeasure

from ._accuracy import *  # noqa: F403
from ._calibration import *  # noqa: F403
from ._comparability import *  # noqa: F403
from ._depth import *  # noqa: F403
from ._discrimination import *  # noqa: F403
from ._error_tests import *  # noqa: F403
from ._gains import *  # noqa: F403
from ._growth import *  # noqa: F403
from ._judging_orders import *  # noqa: F403
from ._leave_out import *  # noqa: F403
from ._movement import *  # noqa: F403
from ._persistence import *  # noqa: F403
from ._persistence_study import *  # noqa: F403
from ._pooling_bias import *  # noqa: F403
from ._predictivity import *  # noqa: F403
from ._rankings import *  # noqa: F403
from ._reductions import *  # noqa: F403
from ._references import *  # noqa: F403
from ._residuals import *  # noqa: F403
from ._swaps import *  # noqa: F403
from ._table import *  # noqa: F403
from ._time import *  # noqa: F403
from ._unjudged import *  # noqa: F403
from ._variants import *  # noqa: F403
from ._variation import *  # noqa: F403
