"""6. The Mandelbrot set, one row of pixels; the depth is part of the program."""

import numpy as np

import funmem as fm


@fm.jit(static=("depth",))
def row(re: fm.f32["w"], ci, depth):
    def pixel(cr):
        def go(a, b, i):
            return a * a - b * b + cr, 2.0 * a * b + ci, i + 1

        def ok(a, b, i):
            return (a * a + b * b <= 4.0) & (i < depth)

        return fm.while_loop(ok, go, (fm.f32(0), fm.f32(0), fm.i32(0)))[2]

    return fm.map(pixel, re)


if __name__ == "__main__":
    re = np.linspace(-2, 1, 60, dtype=np.float32)
    for ci in np.linspace(-1, 1, 20, dtype=np.float32):
        print("".join(" .:-=+*#%@"[min(9, n)] for n in row(re, ci, 9)))
