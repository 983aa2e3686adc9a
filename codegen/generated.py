"""Defines the Python functions that the code generators print (fast_call, device_call, c_call).

This is the only place where they are run.  Their texts consist of names that are made there and of
numbers; values of a program, and functions, are reached through ``names``.
"""


def define(text: str, names: dict[str, object], what: str) -> dict[str, object]:
    """Run the definitions in ``text`` over ``names``, and return the names with the functions.

    ``what`` stands for a file name in tracebacks.
    """
    exec(compile(text, f"<{what}>", "exec"), names)
    return names
