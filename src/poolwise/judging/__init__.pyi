from .candidates import Candidates as Candidates
from .candidates import gather_candidates as gather_candidates
from .order_replay import proposals as proposals
from .order_replay import replay as replay
from .orders.catalogue import ORDERS as ORDERS
from .orders.judging_order import JudgingOrder as JudgingOrder
