"""Set the number of threads by the runtimes' environment variables, before these start."""

import os

VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "POCL_MAX_PTHREAD_COUNT",
    "PJRT_NPROC",
    "NPROC",  # XLA before it read PJRT_NPROC
)


def limit_threads(n: int) -> None:
    """Limit OpenMP, BLAS, numba, PoCL and XLA to n threads.  Futhark has an interface for it."""
    os.environ.update(dict.fromkeys(VARIABLES, str(n)))
    if n == 1:
        os.environ["XLA_FLAGS"] = " ".join(
            (os.environ.get("XLA_FLAGS", ""), "--xla_cpu_multi_thread_eigen=false")
        )
        os.environ["JAX_CPU_ENABLE_ASYNC_DISPATCH"] = "false"
