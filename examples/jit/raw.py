"""12. Code in OpenCL C: a function of numbers and a kernel, in traced functions and alone."""

import numpy as np

import funmem as fm

clamp = fm.opencl(
    "float clamp01(float x) { return x < 0 ? 0 : x > 1 ? 1 : x; }",
    "f32 -> f32",
    reference=lambda x: np.clip(x, 0, 1),
)
rev = fm.opencl(
    """__kernel void rev(long n, __global const float *x, __global float *z)
    {
        long i = get_global_id(0);
        z[n - 1 - i] = x[i];
    }""",
    "f32[n] -> f32[n]",
    grid=("n",),
    reference=lambda x: x[::-1],
)


@fm.jit
def clamped(xs: fm.f32["n"]):
    """Return the elements between 0 and 1."""
    return fm.map(clamp, xs)


@fm.jit
def mirrored(xs: fm.f32["n"]):
    """Return an array, followed by the squares of its elements in reverse order."""
    return fm.concatenate([xs, rev(xs * xs)])


if __name__ == "__main__":
    xs = np.array([-1, 0.25, 3], np.float32)
    print(clamp(1.5), clamped(xs), rev(xs), mirrored(xs))
