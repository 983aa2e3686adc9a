import funmem as fm


@fm.jit(static=("options",))
def f(x, options):
    return x * options["scale"]


f(1.0, {"scale": 2})
