"""Multiplies two 1024 x 1024 matrices with the FUN program beside this file, on a device.

    python examples/matmul.py [--size N] [--device D]

Compares the product with numpy's; exit code 1 if the two do not agree.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np

import funmem


def main() -> int:
    """Multiplies, compares, prints."""
    parser = argparse.ArgumentParser(description="Multiply two f32 matrices written in FUN.")
    parser.add_argument("--size", type=int, default=1024, help="rows and columns (default: 1024)")
    parser.add_argument("--device", help="a number or name that `funmem doctor` lists")
    options = parser.parse_args()

    rng = np.random.default_rng(0)
    a, b = (rng.random((options.size, options.size), np.float32) for _ in range(2))

    start = time.perf_counter()
    program = funmem.load(Path(__file__).with_name("matmul.fun"))
    matmul = funmem.compile(program, device=options.device)
    compiled = time.perf_counter()
    c = matmul(a, b)
    done = time.perf_counter()

    expected = a @ b
    largest = float(np.abs(c - expected).max(initial=0.0))
    agrees = np.allclose(c, expected, rtol=1e-4, atol=1e-5)
    print(f"device              {matmul.device}")
    print(f"compiled in         {compiled - start:.3f} s")
    print(f"multiplied in       {done - compiled:.3f} s")
    print(f"largest difference  {largest:.1e}, in elements up to {expected.max(initial=0.0):.0f}")
    print("agrees with numpy" if agrees else "DOES NOT AGREE with numpy")
    return 0 if agrees else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except funmem.FunmemError as error:
        print(error, file=sys.stderr)
        sys.exit(error.exit_code.value)
