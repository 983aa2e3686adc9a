import funmem as fm

fm.opencl("float f(float x) { return x; }", "float -> float")
