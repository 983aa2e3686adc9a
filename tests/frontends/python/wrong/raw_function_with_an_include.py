import funmem as fm

fm.opencl(
    """
    #include <stdio.h>
    float f(float x) { return x; }
    """,
    "f32 -> f32",
)
