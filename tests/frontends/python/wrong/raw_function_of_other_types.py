import funmem as fm

fm.opencl("float f(float x, int k) { return x; }", "f32, f32 -> f32")
