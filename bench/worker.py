"""The process of a peer: worker.py FAMILY FUNCTION ARGUMENTS calls a function of contests/FAMILY.py; see frame.py."""

import importlib
import json
import sys
import warnings

if __name__ == "__main__":
    warnings.simplefilter("ignore")  # that hooks are set, and tensors made to require gradients
    family, function, arguments = sys.argv[1:]
    getattr(importlib.import_module(f"contests.{family}"), function)(**json.loads(arguments))
