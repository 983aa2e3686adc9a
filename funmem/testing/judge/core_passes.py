"""Passes on Core, checked after each: the part of ``--verify-each`` above FUN.

types     the program is well typed and has the pass's postconditions
values    in addition, the Core interpreter returns the results of the original program; after
the last pass, the value interpreter of FUN does
"""

from collections.abc import Iterator, Sequence

from funmem.driver.entry_points import signature_of
from funmem.driver.source import Source
from funmem.driver.stages import to_fun
from funmem.ir.core import CoreProgram
from funmem.ir.diagnostics import NOWHERE, Diagnostic
from funmem.passes.framework import Report, StageProgram
from funmem.passes.runner import AfterAny, Pipeline, Step
from funmem.testing.judge.after_each_pass import Broken, known_of
from funmem.testing.judge.core import Call, elements, judge_stages
from funmem.testing.reduce import Failure
from funmem.values.arguments import read_arguments

LARGE = 20_000
"""Inputs with more elements are left out: the Core interpreter is made to be read."""


def run_core_passes(
    program: CoreProgram,
    source: Source,
    passes: Pipeline,
    each: str,
    entry: str | None,
    inputs: Sequence[str],
    report: Report | None = None,
    after: AfterAny | None = None,
) -> StageProgram:
    """Return the program after passes on Core, checked as ``each`` says (none, types, values).

    Raises Broken if the results differ after a pass, and what :meth:`Pipeline.run` raises.
    """
    stages: list[tuple[str, StageProgram]] = [("core", program)]

    def note(step: Step, before: StageProgram, result: StageProgram) -> None:
        stages.append((step.what.name, result))
        if after is not None:
            after(step, before, result)

    result = passes.run(program, verify=each != "none", report=report, after=note)
    if each == "values":
        for call in _calls(program, source, entry, inputs):
            for wrong in judge_stages(stages, call):
                raise _broken(wrong, passes)
    return result


def _calls(
    program: CoreProgram, source: Source, entry: str | None, inputs: Sequence[str]
) -> Iterator[Call]:
    """Yield the calls on which the stages are compared.

    These have the given inputs, or else those of the test comments, or else small inputs.
    """
    if inputs:
        signature = signature_of(program, entry)
        yield Call(signature.name, tuple(read_arguments(signature, inputs)))
        return
    for case, _ in known_of(to_fun(program, typed=True), source, entry):
        if elements(case.args) <= LARGE:
            yield Call(case.entry, tuple(case.args))


def _broken(wrong: str, passes: Pipeline) -> Broken:
    text = f"a pass on Core broke the program: {wrong}"
    hint = f"`--via core -p {passes}` runs the program after these passes"
    failure = Failure(len(passes.steps), "core", "values", wrong)
    return Broken(Diagnostic(NOWHERE, "pass-failed", text, hint), failure, None)
