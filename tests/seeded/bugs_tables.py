"""Bugs of tables: links, columns, growth, regions, and tables that are not passed along."""

from tests.seeded.core import CoreBug, Seen

TABLES = "tables"
STORE = "funmem.passes.core.tables.store"
FAMILIES = "funmem.passes.core.tables.families"
EXPRESSIONS = "funmem.passes.core.tables.expressions"
MATCHES = "funmem.passes.core.tables.matches"
KERNELS = "funmem.passes.core.tables.kernels"
EFFECTS = "funmem.passes.core.tables.effects"
CALLS = "funmem.passes.core.tables.calls"
SEPARATE = "funmem.passes.core.tables.separate"
LIVES = "funmem.passes.core.tables.lives"


def bug(name: str, module: str, old: str, new: str, seen: Seen, rule: str = "") -> CoreBug:
    """A bug that the trees notice."""
    return CoreBug(name, TABLES, old, new, "trees", seen, rule, module)


def region_bug(name: str, module: str, old: str, new: str, seen: Seen, rule: str = "") -> CoreBug:
    """A bug that the lists in regions notice."""
    return CoreBug(f"tables-{name}", TABLES, old, new, "regions", seen, rule, module)


BUGS: tuple[CoreBug, ...] = (
    region_bug(
        "rows-of-the-caller-end-with-an-index",
        KERNELS,
        "kept = frozenset() if own else effect.allocated - local",
        "kept = frozenset() if own else effect.allocated - effect.all",
        Seen.TRAP,
    ),
    region_bug(
        "regions-have-one-number",
        SEPARATE,
        "numbers[r] = next(k for k in range(len(taken) + 1) if k not in taken)",
        "numbers[r] = 0 * len(taken)",
        Seen.TRAP,
    ),
    region_bug(
        "regions-in-scope-begin-again",
        SEPARATE,
        "return frozenset(numbers) - set(self.numbers.values())",
        "return frozenset(numbers) | set(self.numbers.values())",
        Seen.TRAP,
    ),
    region_bug(
        "rows-of-the-caller-are-released",
        LIVES,
        "c.Var(mark), c.Fields(()), e.at))",
        "int64(0), c.Fields(()), e.at))",
        Seen.VALUE,
    ),
    bug(
        "tables-link-off-by-one",
        STORE,
        'link = self.let(links, "link", LINK, c.Convert(LINK, used, at), at)',
        'link = self.let(\n            links, "link", LINK, '
        "c.Convert(LINK, binary(BinOp.ADD, used, int64(1)), at), at\n        )",
        Seen.VALUE,
    ),
    bug(
        "tables-row-written-too-early",
        STORE,
        "where = (c.Fix(c.Var(t.used)),)",
        "where = (c.Fix(binary(BinOp.SUB, c.Var(t.used), int64(1))),)",
        Seen.TRAP,
    ),
    bug(
        "tables-growth-loses-the-rows",
        STORE,
        "longer.append(c.Concat((c.Var(x), zeros), at))",
        "longer.append(c.Concat((zeros, c.Var(x)), at))",
        Seen.VALUE,
    ),
    bug(
        "tables-grow-too-late",
        STORE,
        "full = binary(BinOp.GT, need, room)",
        "full = binary(BinOp.GT, c.Var(t.used), room)",
        Seen.TRAP,
    ),
    bug(
        "tables-old-tables-after-a-branch",
        EXPRESSIONS,
        "self.store[name] = evolve(self.renewed(self.store[name]), written=True)\n"
        "            binders += self.store[name].binders()",
        "binders += self.renewed(self.store[name]).binders()",
        Seen.TRAP,
    ),
    bug(
        "tables-branch-returns-the-tables-before-it",
        EXPRESSIONS,
        "value = self.exp(e)\n        whole = self.with_tables(value, changed)",
        "states = self.states(changed)\n        value = self.exp(e)\n"
        "        whole = several([value, *states])",
        Seen.TRAP,
    ),
    bug(
        "tables-loop-returns-the-tables-before-it",
        EXPRESSIONS,
        "several([*values, *self.states(changed)]), otherwise)",
        "several([*values, *start[len(values) :]]), otherwise)",
        Seen.VALUE,
    ),
    bug(
        "tables-same-column-twice",
        FAMILIES,
        "j >= first and j not in taken and u == t",
        "j >= first and u == t",
        Seen.VALUE,
    ),
    bug(
        "tables-tag-of-another-constructor",
        FAMILIES,
        "rows[name] = Row(k, tuple(taken))",
        "rows[name] = Row(min(k, 0), tuple(taken))",
        Seen.VALUE,
    ),
    bug(
        "tables-payload-in-another-order",
        MATCHES,
        "columns = iter(table.family.rows[a.constructor].columns)",
        "columns = iter(sorted(table.family.rows[a.constructor].columns))",
        Seen.RULE,
        "C-",
    ),
    bug(
        "tables-arena-base-forgotten",
        STORE,
        "used = binary(BinOp.ADD, c.Var(t.arena.base), used)",
        "used = binary(BinOp.ADD, int64(0), used)",
        Seen.VALUE,
    ),
    bug(
        "tables-arenas-overlap",
        KERNELS,
        "starts.append(c.Iota(n, c.Var(shared.used), int64(bounds[name]), at))",
        "starts.append(c.Iota(n, c.Var(shared.used), int64(1), at))",
        Seen.VALUE,
    ),
    region_bug(
        "arena-read-outside",
        STORE,
        "older = binary(BinOp.LT, row, c.Var(t.arena.base))",
        "older = binary(BinOp.LE, row, c.Var(t.arena.base))",
        Seen.TRAP,
    ),
    bug(
        "tables-bound-of-the-smaller-branch",
        EFFECTS,
        "out[x] = out.get(x, 0) + k\n",
        "out[x] = max(out.get(x, 0), k)\n",
        Seen.TRAP,
    ),
)
