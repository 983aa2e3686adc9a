"""The fast Fourier transform of 2^k numbers, by Stockham's algorithm.

Each step combines two halves; element t of the next array is computed from two elements of the last
one.  Complex numbers are pairs of arrays.
"""

import numpy as np

import funmem as fm


@fm.jit
def fft(re: fm.f64["n"], im: fm.f64["n"]):
    """Return the real and the imaginary parts of ``np.fft.fft(re + 1j * im)``."""
    n = re.shape[0]
    fm.require(n & (n - 1) == 0, "the length {} is no power of two", n)

    def step(m, re, im):
        def element(t):
            j, k = t // (2 * m), t % m
            low, high = k + j * m, k + j * m + n // 2
            angle = -2 * np.pi * (j * m) / n
            a, b = (re[low], im[low]), (re[high], im[high])

            def difference():
                x, y = a[0] - b[0], a[1] - b[1]
                c, s = np.cos(angle), np.sin(angle)
                return x * c - y * s, x * s + y * c

            return fm.cond(t % (2 * m) < m, lambda: (a[0] + b[0], a[1] + b[1]), difference)

        return (2 * m, *fm.build(n, element))

    return fm.while_loop(lambda m, *_: m < n, step, (1, re, im))[1:]


if __name__ == "__main__":
    re, im = fft(np.arange(8.0), np.zeros(8))
    print(np.asarray(re) + 1j * np.asarray(im))
