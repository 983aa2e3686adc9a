"""Check a program that runs as a process against its test comment.

; ==
; args 42 word           the command line after the program's name
; status 3               the exit status, 0 unless stated
; prints                 what it writes, each line indented by two blanks
;   hello
; error: out of bounds   it traps after that, with a message that the expression matches
; rejected: not in scope it does not compile
; via core               the passes below Core do not take it yet
"""

import io
import re
from collections.abc import Sequence

from attrs import field

from funmem.driver.options import Engine
from funmem.driver.process import run_process
from funmem.driver.source import Source
from funmem.ir.diagnostics import Diagnostic, FunmemError, SourceError, Span
from funmem.ir.record import define

BEGIN = "; =="


@define
class ProcessSpec:
    """What a test comment says."""

    args: list[str] = field(factory=list)
    status: int = 0
    prints: list[str] | None = None
    error: str = ""
    rejected: str = ""
    only_core: bool = False


def read_process_spec(text: str, name: str) -> ProcessSpec | None:
    """Return what the test comment of a program says; None if it has none.

    Raises SourceError.
    """
    lines = text.split("\n")
    if BEGIN not in lines:
        return None
    start = lines.index(BEGIN) + 1
    spec = ProcessSpec()
    for number, line in enumerate(lines[start:], start + 1):
        if not line.startswith(";"):
            break
        if spec.prints is not None and (line.startswith(";   ") or line == ";"):
            spec.prints.append(line[4:])
            continue
        word, _, rest = line[1:].strip().partition(" ")
        match word:
            case "args":
                spec.args = rest.split()
            case "status" if rest.isdigit():
                spec.status = int(rest)
            case "prints" if not rest:
                spec.prints = []
            case "via" if rest == "core":
                spec.only_core = True
            case "error:":
                spec.error = rest
            case "rejected:":
                spec.rejected = rest
            case _:
                at = Span(name, number, 1, len(line) + 1)
                hint = "args, status, prints, error:, rejected: and `via core` are known"
                what = f"`{word}` has no meaning in a test comment"
                raise SourceError(Diagnostic(at, "test-comment", what, hint))
    return spec


def differences(
    source: Source,
    spec: ProcessSpec,
    engine: Engine = Engine.CORE,
    device: str | None = None,
) -> Sequence[tuple[str, str, str]]:
    """Run a program; return what is not as the comment says: what, expected, found.

    Raises FunmemError if the program fails although its comment does not say so.
    """
    out = io.BytesIO()
    error: FunmemError | None = None
    status = spec.status
    try:
        status = run_process(source, spec.args, out, engine, device)
    except FunmemError as raised:
        error = raised
    message = "" if error is None else error.diagnostic.message
    wanted = spec.error or spec.rejected
    early = isinstance(error, SourceError)
    found: list[tuple[str, str, str]] = []
    if error is not None and (not wanted or early is not bool(spec.rejected)):
        raise error
    if wanted and (error is None or not re.search(wanted, message)):
        found.append(("a different error than expected", wanted, message or "no error"))
    if spec.prints is not None:
        expected = "".join(f"{line}\n" for line in spec.prints)
        printed = out.getvalue().decode(errors="replace")
        if printed.rstrip("\n") != expected.rstrip("\n"):
            found.append(("prints something else", expected, printed))
    if status != spec.status:
        found.append(("a different exit status", str(spec.status), str(status)))
    return found
