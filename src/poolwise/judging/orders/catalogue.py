"""The orders of judging, by name."""

from poolwise.judging.orders.bandits import MaxMean, MoveToFront, Thompson
from poolwise.judging.orders.blend import Blend
from poolwise.judging.orders.by_rank import DepthOrder
from poolwise.judging.orders.hedge import Hedge
from poolwise.judging.orders.judging_order import JudgingOrder
from poolwise.judging.orders.minimal_test_collections import MinimalTestCollections
from poolwise.judging.orders.rank_biased import RBPEven, RBPLeaders, RBPResidual

__all__ = ["ORDERS"]

ORDERS: dict[str, type[JudgingOrder]] = {
    "blend": Blend,
    "max-mean": MaxMean,
    "thompson": Thompson,
    "move-to-front": MoveToFront,
    "hedge": Hedge,
    "depth": DepthOrder,
    "mtc": MinimalTestCollections,
    "rbp-residual": RBPResidual,
    "rbp-even": RBPEven,
    "rbp-leaders": RBPLeaders,
}
"""Ways to choose the document to judge next."""
