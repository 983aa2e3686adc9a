"""Traversals against two independent oracles: reflection over the trees' fields, and the text.

Protects ``ir/traverse.py``: a part that a traversal forgets, or a place that a substitution does
not reach, shows as a difference.  The subjects are generated programs before and after allocation,
so types, homes, operators, loops and branches all occur; and trees of the grammar alone.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TypeAlias, get_args, get_origin

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from funmem.interp.value import run
from funmem.ir import fun
from funmem.ir.arith import size_exp
from funmem.ir.check import check
from funmem.ir.diagnostics import Span
from funmem.ir.fun import (
    Ann,
    Assert,
    Bin,
    Binder,
    Body,
    Call,
    Const,
    Entry,
    For,
    Function,
    KernelDim,
    Opaque,
    Program,
    RaggedKernel,
    ScalarExp,
    Stm,
    Var,
)
from funmem.ir.names import Fresh, Name
from funmem.ir.scalars import I64, BinOp, eval_bin, is_value, normalise
from funmem.ir.sizes import Size, const, var
from funmem.ir.substitute import freshen_body, freshen_lambda, rename, subst_body, subst_stm
from funmem.ir.text import parse_fun, show
from funmem.ir.traverse import (
    Mapper,
    bound_names,
    entry_binders,
    free_in_body,
    free_in_exp,
    free_in_stm,
    inner_binders,
    inner_indices,
    map_body,
    map_entries,
    map_lambda,
    map_sub_bodies,
    names_of,
    operators,
    program_fresh,
    scalar_leaves,
    size_atom,
    sub_bodies,
    walk,
)
from funmem.passes.runner import Pipeline
from funmem.testing import generate
from funmem.testing.judge.program import compare, define_outcome
from tests.ir.test_sizes import sizes
from tests.support.syntax_trees import programs

SEEDS = range(14)
Node: TypeAlias = object


@cache
def program(seed: int) -> Program[Ann]:
    """Odd seeds: FUN; even ones: FUNMEM."""
    p = generate(seed).program
    if seed % 2:
        return p
    after = Pipeline.parse("allocate").run(p, verify=False)
    assert isinstance(after, Program)
    return after


every_program = pytest.mark.parametrize("seed", SEEDS)

# ---------------------------------------------------------------------- the oracle: reflection

BOUND = {Binder: "name", KernelDim: "index", For: "index", RaggedKernel: "index"}
"""Where a name is bound; everywhere else in a body it is used."""
NO_NAME = {(Assert, "message"), (Entry, "name"), (Call, "fn"), (Opaque, "fn"), (Function, "name")}


def names_in(node: Node, *, bound: bool) -> Iterator[Name]:
    """The names bound or used anywhere in a tree, found by looking at every field."""
    if isinstance(node, Size):
        yield from () if bound else node.free()
    elif isinstance(node, tuple):
        for part in node:
            yield from _of_part(part, bound=bound)
    elif attrs.has(type(node)):
        for f in attrs.fields(type(node)):
            part = getattr(node, f.name)
            if isinstance(part, Span) or (type(node), f.name) in NO_NAME:
                continue
            if BOUND.get(type(node)) == f.name:
                yield from [part] if bound else ()
            else:
                yield from _of_part(part, bound=bound)


def _of_part(part: Node, *, bound: bool) -> Iterator[Name]:
    if isinstance(part, str) and type(part) is str:
        yield from () if bound else (Name(part),)
    else:
        yield from names_in(part, bound=bound)


def used(node: Node) -> frozenset[Name]:
    return frozenset(names_in(node, bound=False))


def bound(node: Node) -> frozenset[Name]:
    return frozenset(names_in(node, bound=True))


def free(node: Node) -> frozenset[Name]:
    """Names are bound once, so what is bound inside is free nowhere inside."""
    return used(node) - bound(node)


def bodies(b: Body[Ann]) -> Iterator[Body[Ann]]:
    yield b
    for s in b.stms:
        for inner in sub_bodies(s.exp):
            yield from bodies(inner)


# ---------------------------------------------------------------------- map and folds


def identity() -> Mapper:
    return Mapper(body=lambda b: map_body(b, identity()))


@given(programs())
@settings(max_examples=15)
def test_mapping_nothing_changes_nothing(p: Program[Ann]) -> None:
    assert map_entries(p, lambda b: map_body(b, identity())) == p


@every_program
def test_walk_and_bound_names_find_everything(seed: int) -> None:
    p = program(seed)
    for e in p.entries:
        stms = list(walk(e.body))
        assert stms == list(_stms(e.body))
        assert set(bound_names(e.body)) == bound(e.body)
        assert len(list(bound_names(e.body))) == len(bound(e.body))
    assert set(names_of(p)) == bound(p)


def _stms(node: Node) -> Iterator[Stm[Ann]]:
    """Every statement, by reflection, outer before inner."""
    if isinstance(node, Stm):
        yield node
    parts: tuple[Node, ...] = ()
    if isinstance(node, tuple):
        parts = node
    elif attrs.has(type(node)) and not isinstance(node, Size):
        parts = tuple(getattr(node, f.name) for f in attrs.fields(type(node)))
    for part in parts:
        yield from _stms(part)


@every_program
def test_what_an_expression_introduces(seed: int) -> None:
    """Inner binders, indices and bodies, of which operators are a part."""
    for e in program(seed).entries:
        for s in walk(e.body):
            inside = {b.name for b in inner_binders(s.exp)} | set(inner_indices(s.exp))
            below = frozenset[Name]().union(*(bound(b) for b in sub_bodies(s.exp)))
            assert inside | below == bound(s.exp)
            for op in operators(s.exp):
                assert op.body in sub_bodies(s.exp)


@every_program
def test_sub_bodies_are_what_map_sub_bodies_maps(seed: int) -> None:
    for e in program(seed).entries:
        for s in walk(e.body):
            seen: list[Body[Ann]] = []

            def note(b: Body[Ann], seen: list[Body[Ann]] = seen) -> Body[Ann]:
                seen.append(b)
                return Body((), ())

            emptied = map_sub_bodies(s.exp, note)
            assert sorted(map(id, seen)) == sorted(map(id, sub_bodies(s.exp)))
            assert all(b == Body((), ()) for b in sub_bodies(emptied))


@given(st.recursive(
    st.sampled_from((Var(Name("x")), Var(Name("y")), Const(1, I64))),
    lambda inner: st.builds(Bin, st.just(BinOp.ADD), inner, inner)
    | st.builds(fun.Convert, st.just(I64), inner),
))  # fmt: skip
def test_scalar_leaves_are_in_textual_order(e: ScalarExp) -> None:
    found = [a.name if isinstance(a, Var) else "1" for a in scalar_leaves(e)]
    assert found == re.findall(r"\b[xy1]\b", show_words(e))


def show_words(e: ScalarExp) -> str:
    from funmem.ir.text import show_scalar

    return show_scalar(e)


# ---------------------------------------------------------------------- free names


@every_program
def test_free_names(seed: int) -> None:
    """Of bodies, statements (with their patterns' types and homes) and expressions."""
    for e in program(seed).entries:
        assert free_in_body(e.body) <= {b.name for b in entry_binders(e)}
        for b in bodies(e.body):
            assert free_in_body(b) == free(b)
            for s in b.stms:
                assert free_in_stm(s) == free(s)
                assert free_in_exp(s.exp) == free(s.exp)


# ---------------------------------------------------------------------- substitution


def in_text(e: Entry[Ann], images: Mapping[Name, str]) -> Body[Ann]:
    """The body whose text has other words in place of names."""
    headless = Entry(e.name, (), (), (), (), e.body)
    word = re.compile("|".join(rf"(?<![\w'.]){re.escape(x)}(?![\w'])" for x in images))
    text = show(Program((headless,)))
    if images:
        text = word.sub(lambda m: images[Name(m[0])], text)
    return parse_fun(text, "renamed").entries[0].body


@every_program
def test_renaming_is_renaming_in_the_text(seed: int) -> None:
    """Where names are bound and where they are used: types, homes, results, sub-bodies."""
    (e,) = program(seed).entries
    names = {x: Name(f"new_{k}") for k, x in enumerate(sorted(bound(e.body)))}
    assert map_body(e.body, rename(names)) == in_text(e, dict(names))


EVERYTHING = r"""
entry f -> =
  let (a0 : i64) (b0 : i64) = call half (c0, d0) partial
  let (a1 : i64) = b1 + i64(-c1) * 2
  let (a2 : i64) = x2[b2, c2]
  let (a3 : [n3]f32 @ m3 -> o3 + {(d3 : s3)}) = x3[b3, c3 : e3 : f3]
  let (a4 : [n4]f32) = permute (0) x4
  let (a5 : [n5]f32) = reshape [b5][c5] x5
  let (a6 : [n6]f32) = reverse 0 x6
  let (a7 : [n7]f32) = flat x7[b7 + {(c7 : d7) (e7 : f7)}]
  let (a8 : [n8]i64) = iota [b8] c8 d8
  let (a9 : [n9]i64) = replicate [b9][c9] d9
  let (b10 : [n10]i64) = [c10, d10] : [e10]i64
  let (b11 : [n11]i64) = copy x11
  let (b12 : [n12]i64) = concat 0 x12 y12
  let (b13 : [n13]i64) = scratch [c13][d13]i64
  let (b14 : [n14]i64) = x14 with [c14, d14 : e14 : f14] = g14
  let (b15 : [n15]i64) = scatter x15 c15 d15
  let (b16 : [n16]i64) = kernel k16 < c16, j16 < d16 do
    let (e16 : i64) = h16'
    in (g16)
  let (b17 : i64) = kernel i17 < c17 reduce (\ (p17 : [q17]i64 @ r17 -> s17 + {(t17 : u17)})
    -> let (v17 : i64) = w17
    in (x17)) (y17) do
    in (z17)
  let (b18 : i64) = kernel i18 < c18 scan (\ (p18 : [q18]i64) -> in (x18)) (y18) do
    in (z18)
  let (b19 : i64) = kernel i19 < c19 hist (d19, e19) (\ (p19 : [q19]i64) -> in (x19)) (y19) do
    in (z19)
  let (b30 : [n30]i64) = kernel i30 < o30, k30 in x30 : m30 reduce (\ (p30 : i64) (q30 : i64) ->
      in (r30)) (s30) do
    in (z30)
  let (b20 : i64) = if c20 then in (d20) else in (e20)
  let (b21 : i64) = loop (p21 : *[q21]i64 @ r21 -> s21 + {(t21 : u21)}) = v21 for i21 < w21 do
    in (x21)
  let (b22 : i64) = loop (p22 : bool) = v22 while w22 do
    in (x22)
  assert c23 "no name"
  let (b24 : mem) = alloc c24 * d24
  let (b25 : i64) = 25
  let (b26 : i64) = c26
  let (b27 : i64) = abs(c27)
  let (b28 : i8) = i8(c28)
  let (b31 : [n31]f32) = opaque rev (c31, x31) grid [d31][e31]
  in (a29)
"""
"""Every expression, with another name in every part."""


def test_no_part_of_any_expression_is_forgotten() -> None:
    body = parse_fun(EVERYTHING, "everything").entries[0].body
    words = set(re.findall(r"\b[a-z]\d+'?", EVERYTHING)) - {"f32", "i64", "i8"}
    assert used(body) | bound(body) == words
    assert {type(s.exp) for s in walk(body)} >= {get_origin(c) or c for c in get_args(fun.Exp)}
    names = {Name(x): Name(f"new {x}") for x in words}
    renamed = map_body(body, rename(names))
    assert used(renamed) == {names[x] for x in used(body)}
    assert bound(renamed) == {names[x] for x in bound(body)}
    assert free_in_body(body) == free(body)


@every_program
def test_substitution_is_replacement_in_the_text(seed: int) -> None:
    """Every free name of a body by another name."""
    (e,) = program(seed).entries
    others = {x: Var(Name(f"new_{k}")) for k, x in enumerate(sorted(free(e.body)))}
    body = subst_body(e.body, dict(others))
    assert body == in_text(e, {x: a.name for x, a in others.items()})
    assert subst_body(e.body, {}) == e.body
    once = Body(tuple(subst_stm(s, dict(others)) for s in e.body.stms), body.result)
    assert once == body


@every_program
def test_a_size_may_become_a_constant_or_a_polynomial(seed: int) -> None:
    p = program(seed)
    (e,) = p.entries
    only_sizes = [
        b.name for b in e.implicit if b.type is I64 and Var(b.name) not in {*_atoms(e.body)}
    ]
    for x in only_sizes:
        number = subst_body(e.body, {x: Const(3, I64)})
        assert number == in_text(e, {x: "3"})
        polynomial = subst_body(e.body, {}, {x: var(Name("q")) * 2 + 1})
        assert polynomial == in_text(e, {x: "(2*q + 1)"})


def _atoms(node: Node) -> Iterator[Var]:
    if isinstance(node, Var):
        yield node
    elif isinstance(node, tuple):
        for part in node:
            yield from _atoms(part)
    elif attrs.has(type(node)) and not isinstance(node, Size):
        for f in attrs.fields(type(node)):
            yield from _atoms(getattr(node, f.name))


def test_an_array_cannot_become_a_constant() -> None:
    b = parse_fun("entry f [n] (x : [n]i64) -> (y : i64) = let (z : i64) = x[0] in (z)", "t")
    with pytest.raises(TypeError):
        subst_body(b.entries[0].body, {Name("x"): Const(0, I64)})


# ---------------------------------------------------------------------- fresh copies


@every_program
def test_a_freshened_body_has_other_names_and_the_same_meaning(seed: int) -> None:
    p = program(seed)
    (e,) = p.entries
    fresh = program_fresh(p)
    copy = freshen_body(e.body, fresh)
    assert not bound(copy) & bound(p)
    assert len(list(bound_names(copy))) == len(bound(copy)) == len(bound(e.body))
    assert free(copy) == free(e.body)
    assert fresh("x") not in bound(copy)
    other = Program((attrs.evolve(e, body=copy),))
    check(other)
    g = generate(seed)
    want = define_outcome(attrs.evolve(g, program=p))
    compare("value", want, lambda: run(other, g.entry, g.args))


@every_program
def test_a_freshened_operator(seed: int) -> None:
    p = program(seed)
    fresh = program_fresh(p)
    for e in p.entries:
        for s in walk(e.body):
            for op in operators(s.exp):
                copy = freshen_lambda(op, fresh)
                assert not bound(copy) & bound(p)
                assert free(copy) == free(op)
                names = dict(zip(_ordered(op), _ordered(copy), strict=True))
                assert map_lambda(op, rename(names)) == copy


def _ordered(op: fun.Lambda[Ann]) -> list[Name]:
    return [*(b.name for b in op.params), *bound_names(op.body)]


# ---------------------------------------------------------------------- sizes and scalars


def computed(e: ScalarExp, values: Mapping[Name, int]) -> int:
    """An i64 expression as the interpreters compute it."""
    match e:
        case Const(k, t):
            assert is_value(k, t)
            return int(k)
        case Var(x):
            return values[x]
        case Bin(op, a, b):
            return int(eval_bin(op, I64, computed(a, values), computed(b, values)))
        case _:
            raise AssertionError(e)


@given(sizes, st.tuples(*[st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3)] * 4))
def test_a_size_as_a_scalar_expression_computes_the_size(s: Size, at: tuple[int, ...]) -> None:
    """Exactly where nothing overflows, otherwise modulo 2^64."""
    values = dict(zip(map(Name, ("n", "m", "k", "n_1")), at, strict=True))
    assert computed(size_exp(s), values) == normalise(s.eval(values.__getitem__), I64)


@pytest.mark.parametrize("k", [0, 1, -1, 2**63 - 1, -(2**63), 2**63, 3**60])
def test_large_coefficients(k: int) -> None:
    n = Name("n")
    for s in (const(k), var(n) * k, var(n) * k - 5, 7 - var(n) * k):
        assert computed(size_exp(s), {n: 11}) == normalise(s.eval(lambda _: 11), I64)


def test_a_size_as_an_atom() -> None:
    n = var(Name("n"))
    assert size_atom(n) == Var(Name("n"))
    assert size_atom(const(-3)) == Const(-3, I64)
    assert size_atom(const(0)) == Const(0, I64)
    assert size_atom(n + 1) is None
    assert size_atom(n * 2) is None
    assert size_atom(-n) is None


# ---------------------------------------------------------------------- nodes


def test_nodes_cannot_change_and_are_keys() -> None:
    for seed in SEEDS:
        p = program(seed)
        assert hash(p) == hash(parse_fun(show(p), "again"))
        for node in (p, p.entries[0], p.entries[0].body, *p.entries[0].body.stms):
            for f in attrs.fields(type(node)):
                with pytest.raises(attrs.exceptions.FrozenInstanceError):
                    setattr(node, f.name, None)


def test_fresh_supply_of_a_program_knows_all_its_names() -> None:
    text = """entry f [n_1] (x_1 : [n_1]i64) -> [k_1] (r_1 : [k_1]i64) =
      let (y_1 : [n_1]i64) = kernel i_1 < n_1 scan (\\ (a_1 : i64) (b_1 : i64) ->
        let (c_1 : i64) = a_1 + b_1
        in (c_1)) (0) do
        let (z_1 : i64) = x_1[i_1]
        in (z_1)
      let (w_1 : i64) = loop (v_1 : i64) = 0 for j_1 < 3 do
        in (v_1)
      in (n_1, y_1)"""
    fresh = program_fresh(parse_fun(text, "t"))
    for base in "nxkryiabczwvj":
        assert fresh(base) == f"{base}_2"
    assert Fresh(())("n") == "n_1"
