import funmem as fm

fm.opencl("float x = 1;", "f32 -> f32")
