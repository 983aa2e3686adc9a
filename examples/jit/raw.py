"""12. A function written in OpenCL C, in a traced function and alone."""

import numpy as np

import funmem as fm

clamp = fm.opencl(
    "float clamp01(float x) { return x < 0 ? 0 : x > 1 ? 1 : x; }",
    "f32 -> f32",
    reference=lambda x: np.clip(x, 0, 1),
)


@fm.jit
def clamped(xs: fm.f32["n"]):
    """Return the elements between 0 and 1."""
    return fm.map(clamp, xs)


if __name__ == "__main__":
    print(clamp(1.5), clamped(np.array([-1, 0.25, 3], np.float32)))
