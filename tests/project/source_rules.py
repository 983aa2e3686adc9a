"""Rules that all Python files of the rooms keep.  A rule finds the places in a file that break it.

Each file is parsed and walked once, whatever the number of rules: test_sources.py.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import TypeAlias, get_args

from attrs import frozen

from funmem.frontends.futhark import ast as fut
from funmem.ir import core, fun, imp
from tests.support.paths import ROOT


@frozen(slots=False)
class File:
    """A Python file: its path below the root, and its text."""

    path: str
    text: str

    @property
    def room(self) -> str:
        return self.path.partition("/")[0]

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def _nodes(self) -> Mapping[type[ast.AST], list[ast.AST]]:
        nodes: dict[type[ast.AST], list[ast.AST]] = {}
        for node in ast.walk(self.tree):
            nodes.setdefault(type(node), []).append(node)
        return nodes

    def nodes(self, *classes: type[ast.AST]) -> Iterator[ast.AST]:
        """The nodes of these classes, in the order of ``ast.walk`` class by class."""
        for c in classes:
            yield from self._nodes.get(c, ())


Found: TypeAlias = Iterator[tuple[ast.expr | ast.stmt, str]]
"""The places in a file that break a rule, and what is wrong there."""

# ---------------------------------------------------------------------- imports

MAY_IMPORT = {
    "ir": {"ir"},
    "passes": {"ir", "passes"},
    "interp": {"ir", "interp"},
    "codegen": {"ir", "codegen"},
    "funmem": {"ir", "passes", "interp", "codegen", "funmem"},
}
ROOMS = sorted(MAY_IMPORT.keys() - {"funmem"})


def imports(file: File) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """Every module that is imported anywhere in a file, relative ones with their dots."""
    for node in file.nodes(ast.Import, ast.ImportFrom, ast.Call):
        match node:
            case ast.Import(names):
                yield from ((node, alias.name) for alias in names)
            case ast.ImportFrom("funmem", names, 0):
                yield from ((node, f"funmem.{alias.name}") for alias in names)
            case ast.ImportFrom(module, _, level):
                yield node, "." * (level or 0) + (module or "")
            case ast.Call(ast.Name(f) | ast.Attribute(attr=f), [ast.Constant(str(module)), *_]) if (
                f in ("import_module", "__import__")
            ):
                yield node, module


def wrong_imports(file: File) -> Found:
    """A room imports the rooms of MAY_IMPORT, as ``funmem.<room>``."""
    if file.room in MAY_IMPORT:
        yield from ((node, m) for node, m in imports(file) if _is_wrong(file.room, m))


def _is_wrong(room: str, module: str) -> bool:
    """Whether a file of `room` may not import `module`."""
    top, *rest = module.split(".")
    if top == "":
        return True  # relative
    if top in ROOMS or top in ("tests", "papers"):
        return True  # a room imports as funmem.<room>
    if top != "funmem":
        return False  # somebody else's
    if rest and rest[0] in ROOMS:
        return rest[0] not in MAY_IMPORT[room]
    return "funmem" not in MAY_IMPORT[room]


def run_time_imports(file: File, known: Iterable[str]) -> set[str]:
    """The modules among ``known`` that a module imports when it runs, also inside functions.

    ``from package import name`` is an import of the module ``package.name`` if there is one.  What
    only a type checker reads, and the version of the package itself, are left out.
    """
    known = frozenset(known)
    typed = {
        id(inner)
        for node in file.nodes(ast.If)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    found = set()
    for node in file.nodes(ast.Import, ast.ImportFrom):
        match node:
            case _ if id(node) in typed:
                pass
            case ast.Import(names):
                found |= {alias.name for alias in names}
            case ast.ImportFrom(str(module), names, 0):
                found |= {
                    full if (full := f"{module}.{alias.name}") in known else module
                    for alias in names
                }
            case _:
                pass
    return (found & known) - {"funmem"}


# ---------------------------------------------------------------------- records

MUTABLE = {"list", "dict", "set", "bytearray", "List", "Dict", "Set"}
MUTABLE |= {"MutableMapping", "MutableSequence", "MutableSet", "defaultdict", "deque", "Counter"}


def mutable_fields(file: File) -> Found:
    """The fields of frozen classes of the IR hold nothing that could change, or is unknown."""
    if file.room != "ir":
        return
    for cls in file.nodes(ast.ClassDef):
        assert isinstance(cls, ast.ClassDef)
        decorators = {
            n.id for d in cls.decorator_list for n in ast.walk(d) if isinstance(n, ast.Name)
        }
        if "frozen" not in decorators:
            continue
        for stmt in cls.body:
            if not isinstance(stmt, ast.AnnAssign) or _remembers(stmt):
                continue
            if _names(stmt.annotation) & (MUTABLE | {"Any"}):
                yield stmt, ast.unparse(stmt)


def _remembers(field: ast.AnnAssign) -> bool:
    """True for a private field that takes no part in equality: answers computed before.

    Such a record is not a tree but an analysis of one (``Blocks._roots`` in ir/logic).
    """
    return (
        isinstance(field.target, ast.Name)
        and field.target.id.startswith("_")
        and isinstance(field.value, ast.Call)
        and any(
            k.arg == "eq" and isinstance(k.value, ast.Constant) and k.value.value is False
            for k in field.value.keywords
        )
    )


def _names(annotation: ast.expr) -> set[str]:
    """The identifiers in an annotation, also in a quoted one."""
    found = set()
    for node in ast.walk(annotation):
        match node:
            case ast.Name(name) | ast.Attribute(attr=name):
                found.add(name)
            case ast.Constant(str(text)):
                found |= _names(ast.parse(text, mode="eval").body)
    return found


def other_records(file: File) -> Found:
    """Records come from funmem.ir.record: several kinds would have several meanings of equality."""
    if file.room not in MAY_IMPORT:
        return
    for node in file.nodes(ast.ImportFrom):
        match node:
            case ast.ImportFrom("attrs" | "attr", names) if not file.path.endswith("/record.py"):
                made = {a.name for a in names} & {"define", "frozen", "mutable", "evolve"}
                if made:
                    yield node, f"{', '.join(sorted(made))} of attrs"
            case ast.ImportFrom("dataclasses", _):
                yield node, "dataclasses"
            case _:
                pass


# ---------------------------------------------------------------------- closed matches


def members(union: object) -> frozenset[str]:
    """The names of the classes of a union, and of their kinds: their base classes beside them."""
    parts = [getattr(part, "__origin__", part) for part in get_args(union)]
    return frozenset(
        of.__name__ for c in parts for of in c.__mro__ if of.__module__ == c.__module__
    )


UNIONS: Mapping[str, frozenset[str]] = {
    "funmem.ir.fun": members(fun.Exp),
    "funmem.ir.imp": members(imp.ImpStm),
    "funmem.ir.core": members(core.ClosedExp),
    "funmem.frontends.futhark.ast": members(fut.Exp),
}
"""The module that defines a union -> its classes."""


def open_matches(file: File) -> Found:
    """A ``match`` that tells expressions or statements apart has no wildcard.

    Protects the next constructor of a tree: mypy (``exhaustive-match``) names a closed ``match``
    that lacks it, and is silent about one that ends in ``case _``.  A ``match`` that names two or
    more classes of one union decides between forms, so it is closed.  One that names a single class
    looks for that shape, and what it does not find may be anything.
    """
    if file.room not in MAY_IMPORT:
        return
    origin: dict[str, str] = {}
    for node in file.nodes(ast.ImportFrom):
        match node:
            case ast.ImportFrom(str(module), names):
                for alias in names:
                    origin[alias.asname or alias.name] = f"{module}.{alias.name}"
            case _:
                pass
    for node in file.nodes(ast.Match):
        if not (isinstance(node, ast.Match) and _is_wildcard(node.cases[-1])):
            continue
        named = {
            origin.get(name.partition(".")[0], "") + name[len(name.partition(".")[0]) :]
            for arm in node.cases
            for name in _classes(arm.pattern)
        }
        for module, union in UNIONS.items():
            found = sorted(c for c in union if f"{module}.{c}" in named)
            if len(found) > 1:
                yield node, ", ".join(found)


def _is_wildcard(arm: ast.match_case) -> bool:
    """True for ``case _`` and ``case e`` without a guard."""
    if not (isinstance(arm.pattern, ast.MatchAs) and arm.pattern.pattern is None):
        return False
    return arm.guard is None


def _classes(pattern: ast.pattern) -> Iterator[str]:
    """The classes that a pattern asks for at its top; not those of what is inside."""
    match pattern:
        case ast.MatchClass(cls):
            yield ast.unparse(cls)
        case ast.MatchOr(patterns):
            for p in patterns:
                yield from _classes(p)
        case ast.MatchAs(ast.pattern() as inner):
            yield from _classes(inner)
        case _:
            pass


# ---------------------------------------------------------------------- files

WRITING = frozenset(("write_text", "write_bytes", "tofile", "mkstemp", "NamedTemporaryFile"))
"""Calls that make or overwrite a file, by whatever they are called on."""

OF_MODULES = {
    "np": ("save", "savez", "savez_compressed", "savetxt", "memmap"),
    "os": ("replace", "rename", "renames", "link", "symlink", "fdopen", "open"),
    "shutil": ("copy", "copy2", "copyfile", "copytree", "move"),
}
OPENERS = frozenset(("io", "gzip", "bz2", "lzma", "codecs", "os"))


def other_writers(file: File) -> Found:
    """Files are written by funmem.codegen.files, but for those that end with the process."""
    if file.path == "codegen/files.py":
        return
    for node in file.nodes(ast.Call):
        match node:
            case ast.Call(ast.Attribute(ast.Name("os"), "open"), [ast.Attribute(_, "devnull"), *_]):
                pass
            case ast.Call(ast.Attribute(ast.Name("os"), "fdopen"), [ast.Call(), *_]):
                pass  # of os.dup: a stream
            case ast.Call(ast.Attribute(ast.Name(module), name) as f) if name in OF_MODULES.get(
                module, ()
            ):
                yield f, name
            case ast.Call(ast.Attribute(_, "replace") as f, [_], []):
                yield f, "replace"  # of a path; a text's has two arguments, a tree's has keywords
            case ast.Call(ast.Attribute(_, "savefig") as f, _, words):
                if "format" not in {w.arg for w in words}:  # a path says it by its suffix
                    yield f, "savefig"
            case ast.Call((ast.Attribute(_, name) | ast.Name(name)) as f) if name in WRITING:
                yield f, name
            case ast.Call(ast.Name("open") as f, [_, mode, *_]) if _writes(mode):
                yield f, "open"
            case ast.Call(ast.Attribute(ast.Name(module), "open") as f, [_, mode, *_]) if (
                module in OPENERS and _writes(mode)
            ):
                yield f, "open"
            case ast.Call(ast.Attribute(_, "open") as f, [mode, *_]) if _writes(mode):
                yield f, "open"
            case ast.Call((ast.Attribute(_, "open") | ast.Name("open")) as f, _, words):
                if any(w.arg == "mode" and _writes(w.value) for w in words):
                    yield f, "open"
            case _:
                pass


def _writes(mode: ast.expr) -> bool:
    return (
        isinstance(mode, ast.Constant)
        and isinstance(mode.value, str)
        and len(mode.value) <= 3
        and bool(set(mode.value) & set("wax+"))
    )


# ---------------------------------------------------------------------- text that runs

TRUSTED = frozenset(
    f"funmem/{x}.py"
    for x in (
        *("testing/campaign/on_dask", "testing/campaign/children"),
        *("testing/campaign/process", "bench/apart"),
        "testing/corpus/samples",
    )
)
"""They read pickles of those who run what they send: Dask's workers, and processes of our own."""

PICKLES = frozenset(("pickle", "_pickle", "marshal", "shelve"))

GENERATES = frozenset(("ir/record.py", "codegen/generated.py"))
"""They run what was written here: constructors, from the names of a class's fields, and functions
that call entry points, of which tests/codegen/test_calls.py says that no name is a program's."""

PYTHON = frozenset(
    f"funmem/frontends/python/{x}.py" for x in ("modules", "signatures", "tracebacks")
)
"""They run the text of Python modules, their annotations, and frames for tracebacks."""

GENERATED = frozenset(f"funmem/testing/jit_generator/{x}.py" for x in ("judge", "program"))
"""They run the Python functions that the generator has written."""


def text_that_runs(file: File) -> Found:
    """No pickle, no eval, no shell: what is read from a file is never run."""
    if file.room not in MAY_IMPORT or file.path in TRUSTED:
        return
    compiles = file.path in GENERATES | PYTHON | GENERATED
    evaluates = file.path in PYTHON | GENERATED
    for node in file.nodes(ast.Import, ast.ImportFrom, ast.Call, ast.Attribute):
        match node:
            case ast.Import(names) if {a.name for a in names} & PICKLES:
                yield node, "pickle"
            case ast.ImportFrom(module, names) if module in PICKLES:
                if not {a.name for a in names} <= {"Pickler", "PicklingError"}:
                    yield node, "reads pickles"
            case ast.Call(ast.Name("exec" | "compile")) if compiles:
                pass
            case ast.Call(ast.Name("eval")) if evaluates:
                pass
            case ast.Call(ast.Name("eval" | "exec" | "compile" | "__import__" as name)):
                yield node, name
            case ast.Call(keywords=words) if any(_runs(w) for w in words):
                yield node, "text is run"
            case ast.Attribute(ast.Name("os"), "system" | "popen"):
                yield node, "text is run by a shell"
            case _:
                pass


def _runs(word: ast.keyword) -> bool:
    match word:
        case ast.keyword("shell" | "allow_pickle", ast.Constant(True)):
            return True
        case _:
            return False


# ---------------------------------------------------------------------- hints

OPTION = re.compile(r"--[a-z]|`-[a-z]\b|\bwith -[a-z]\b")
"""An option of the command line."""


def options_in_hints(file: File) -> Found:
    """Hints of what Python calls name no option: those stand in a diagnostic's ``command``."""
    of_the_driver = Path(file.path).parent == Path("funmem/driver") or file.path == "funmem/api.py"
    if file.room not in ROOMS and not of_the_driver:
        return
    for hint in _hints(file):
        for part in ast.walk(hint):
            if isinstance(part, ast.Constant) and OPTION.search(str(part.value)):
                yield hint, str(part.value)


def _hints(file: File) -> Iterator[ast.expr]:
    """What diagnostics hint at: their fourth argument, or a variable of that name."""
    for node in file.nodes(ast.Call, ast.keyword, ast.Assign):
        match node:
            case ast.Call(ast.Name("Diagnostic"), [_, _, _, hint, *_]):
                yield hint
            case ast.keyword("hint", hint) | ast.Assign([ast.Name("hint")], hint):
                yield hint
            case _:
                pass


RULES = (
    wrong_imports,
    mutable_fields,
    other_records,
    open_matches,
    other_writers,
    text_that_runs,
    options_in_hints,
)


def files(*rooms: str) -> Iterator[File]:
    """The Python files of some top-level folders."""
    for path in (p for room in rooms for p in sorted((ROOT / room).rglob("*.py"))):
        yield File(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))


def module_name(path: str) -> str:
    """The dotted name under which a file of a room is imported."""
    parts = Path(path).with_suffix("").parts
    parts = parts if parts[0] == "funmem" else ("funmem", *parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@frozen
class Survey:
    """What one walk of all files finds: broken rules, and which module imports which."""

    broken: tuple[str, ...]
    path: Mapping[str, str]
    imported: Mapping[str, set[str]]


@cache
def survey() -> Survey:
    path = {module_name(f.path): f.path for f in files(*MAY_IMPORT)}
    broken: list[str] = []
    imported = {}
    for file in files(*MAY_IMPORT, "papers"):
        broken += [
            f"{rule.__name__}: {file.path}:{node.lineno}: {what}"
            for rule in RULES
            for node, what in rule(file)
        ]
        if file.room in MAY_IMPORT:
            imported[module_name(file.path)] = run_time_imports(file, path)
    return Survey(tuple(broken), path, imported)
