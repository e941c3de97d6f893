"""Parallel work; results do not depend on the number of cores."""

import multiprocessing
import os

JOBS = int(os.environ.get("JOBS") or os.cpu_count() or 1)
_work = None


def run_parallel(work, items):
    """`[work(item) for item in items]`, in processes that share the memory of this one.

    Call it before this process trains: forked processes would wait for xgboost's threads, which they lack.
    """
    global _work
    _work = work
    with multiprocessing.get_context("fork").Pool(JOBS) as pool:
        return pool.map(_run, items, chunksize=1)


def _run(item):
    return _work(item)
