"""ascribe says why a model answered what it answered, and how far that explanation can be trusted.

>>> import ascribe
>>> model = ascribe.load("resnet.onnx", preprocess="imagenet", labels="classes.txt")
>>> e = model.explain("cat.jpg", method="lrp_epsilon")
>>> e.values, e.residual, e.exact
>>> e.plot.image()
"""

import atexit
import logging

from ._waiting import sleeping_soon

with sleeping_soon():
    from . import _engine
from ._merging import Merged, merge
from ._replaying import Replay, replay
from .audit import Audit
from .comparison import Comparison
from .compiled import Compiled
from .decomposition import Decomposition, Effect, VerifiedEffect
from .errors import (ArgumentError, Cancelled, Error, FileError, InternalError, ModelError, NumericError, ShapeError,
                     UnsupportedError)
from .evaluation import Curve, Evaluation, Summary
from .explanation import Explanation, Explanations
from .model import Model, function, load
from .prediction import Prediction, TopClass
from .registries import indices, methods, metrics
from .report import Report
from .verification import OrderError, Verification

# Notes go to this logger as INFO; without a word from the program nothing is written anywhere.
logging.getLogger("ascribe").addHandler(logging.NullHandler())

atexit.register(_engine.end_work)

__version__ = _engine.version()

__all__ = ["ArgumentError", "Audit", "Cancelled", "Comparison", "Compiled", "Curve", "Decomposition", "Effect", "Error",
           "Evaluation", "Explanation", "Explanations", "FileError", "InternalError", "Merged", "Model", "ModelError",
           "NumericError", "OrderError", "Prediction", "Replay", "Report", "ShapeError", "Summary", "TopClass",
           "UnsupportedError", "Verification", "VerifiedEffect", "function", "indices", "load", "merge", "methods",
           "metrics", "replay"]
