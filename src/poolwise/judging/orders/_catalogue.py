"""The orders of judging, by name."""

from poolwise.judging.orders._by_document import (
    DepthOrder,
    MinimalTestCollections,
    RBPEven,
    RBPLeaders,
    RBPResidual,
)
from poolwise.judging.orders._by_run import Blend, Hedge, MaxMean, MoveToFront, Thompson
from poolwise.judging.orders._order import JudgingOrder

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
