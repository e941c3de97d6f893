"""Work on several cores: results do not depend on how many there are."""

import multiprocessing
import os

JOBS = int(os.environ.get("JOBS") or os.cpu_count() or 1)
_work = None


def run_parallel(work, items):
    """`[work(item) for item in items]`, in processes that share the memory of this one.

    Processes forked after this one has trained would wait for threads that they have not: it trains last.
    """
    global _work
    _work = work
    with multiprocessing.get_context("fork").Pool(JOBS) as pool:
        return pool.map(_run, items, chunksize=1)


def _run(item):
    return _work(item)
