"""How much a run tests, and what it leaves to chance.

`./dev test` samples what sweeps over hundreds of cases, by a seed that it makes of the tree; with DEV_FULL=1 nothing is left out.
"""

import functools
import os
import random

FULL = os.environ.get("DEV_FULL") == "1"


@functools.cache
def seed():
    """The seed of this process: DEV_SEED, else a random one. Printed when it is used first."""
    chosen = int(os.environ.get("DEV_SEED") or random.randrange(1_000_000))
    print(f"        DEV_SEED={chosen}{' DEV_FULL=1' if FULL else ''}", flush=True)
    return chosen


def repeat():
    """How to run the same again; for the message of a failure."""
    return f"again with DEV_SEED={seed()}{' DEV_FULL=1' if FULL else ''}"


def chance(name):
    """A random.Random of the seed and a name, so that what one test draws does not depend on the tests before."""
    return random.Random(f"{seed()} {name}")
