"""Explanations and scores of large data sets on Ray: one machine or many (docs/howto/scale.md).

>>> import ascribe.ray
>>> rows = ascribe.ray.explain(ray.data.read_parquet("rows"), "credit.onnx", "shapley", columns=["age", "income"])
>>> ascribe.ray.explain("rows.npy", "credit.onnx", "shapley", out="explained")     # parts, exactly once
>>> ascribe.merge("explained", "explained.npz")

It needs Ray and pyarrow: pip install 'ascribe-xai[ray]'.
"""

from . import _extra  # noqa: F401  # says what is missing
from ._decompose import decompose
from ._driver import evaluate, explain
from ._evaluate import Evaluate
from ._explain import Explain

__all__ = ["Evaluate", "Explain", "decompose", "evaluate", "explain"]
