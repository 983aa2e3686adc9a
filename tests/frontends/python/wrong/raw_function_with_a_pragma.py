import funmem as fm

fm.opencl("#pragma once\nfloat f(float x) { return x; }", "f32 -> f32")
