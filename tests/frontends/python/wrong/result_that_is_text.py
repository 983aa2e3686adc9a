import funmem as fm


@fm.jit
def f(x):
    return "done"


f(1.0)
