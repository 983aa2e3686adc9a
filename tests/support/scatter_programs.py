"""FUN programs that scatter, with holes to fill; as they stand, they are right."""

import re

FILTER = r"""
entry main [n] (t : i64) (xs : [n]i64) -> (r : i64) =
  let (ranks : [n]i64) (keeps : [n]bool) =
    kernel i < n scan (\(a : i64) (b : i64) ->
      let (s : i64) = {op}
      in (s)) ({neutral})
    do
      let (x : i64) = xs[{read}]
      let (keep : bool) = x < t
      let (sure : bool) =
        if keep then
          in (keep)
        else
          in ({unsure})
      let (flag : i64) = {flag}
      in (flag, keep)
  let (some : bool) = 0 < n
  let (total : i64) =
    if some then
      let (l : i64) = ranks[{last}]
      in (l)
    else
      let (nothing : i64) = {none}
      in (nothing)
  let (places : [n]i64) (again : [n]i64) =
    kernel j < {range} do
      let (y : i64) = xs[j]
      let (kept : bool) = keeps[{at}]
      let (rank : i64) = ranks[{here}]
      {more}
      let (here : bool) = {kept}
      let (place : i64) =
        if here then
          let (p : i64) = {place}
          in (p)
        else
          in ({other})
      in (place, rank)
  let (m : [{length}]i64) = {empty}
  let (f : [{length}]i64) = scatter m places {given}
  let (sum : i64) =
    kernel k < {length} reduce (\(u : i64) (v : i64) ->
      let (w : i64) = u + v
      in (w)) (0)
    do
      let (z : i64) = f[k]
      in (z)
  in (sum)
"""
FILTERED = {
    "op": "a + b",
    "neutral": "0",
    "read": "i",
    "unsure": "false",
    "flag": "i64(sure)",
    "last": "n - 1",
    "none": "0",
    "range": "n",
    "at": "j",
    "here": "j",
    "kept": "kept",
    "place": "rank - 1",
    "other": "-1",
    "length": "total",
    "empty": "scratch [total]i64",
    "more": "",
    "given": "xs",
}

PARTITION = r"""
entry main [n] (t : i64) (xs : [n]i64) -> (r : i64) =
  {more}
  let (low : [n]i64) (mid : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (c : bool) = x == 1
      let (f : i64) (g : i64) =
        if c then
          in (1, 0)
        else
          let (d : bool) = {second}
          let (h : i64) = i64(d)
          in (0, h)
      in (f, g)
  let (lows : [n]i64) (mids : [n]i64) (others : [n]i64) =
    kernel j < n scan (\(a : i64) (b : i64) (o1 : i64) (c1 : i64) (d1 : i64) (o2 : i64) ->
      let (s : i64) = {first}
      let (u : i64) = b + d1
      let (v : i64) = o1 + o2
      in (s, u, v)) (0, 0, 0)
    do
      let (f1 : i64) = low[j]
      let (g1 : i64) = mid[j]
      let (w : i64) = xs[j]
      let (h1 : i64) = {other}
      let (e1 : i64) = {counted}
      in (e1, g1, h1)
  let (none : bool) = {none}
  let (lowest : i64) (rest : i64) =
    if none then
      in (0, 0)
    else
      let (l : i64) = lows[{last}]
      let (l1 : i64) = others[n - 1]
      in (l, l1)
  let (places : [{range}]i64) =
    kernel k < {range} do
      let (y : i64) = xs[k]
      let (a1 : i64) = lows[k]
      let (b1 : i64) = mids[k]
      let (c2 : bool) = y == {one}
      let (place : i64) =
        if c2 then
          let (p : i64) = a1 - 1
          in (p)
        else
          let (d2 : bool) = y == 2
          let (q : i64) =
            if d2 then
              let (o : i64) = {base} + b1 - 1
              in (o)
            else
              in (-1)
          in (q)
      in (place)
  let (m : [n]i64) = copy xs
  let (ids : [{range}]i64) = iota [{range}] 0 1
  let (e : [n]i64) = scatter m places ids
  in (t)
"""
PARTITIONED = {
    "second": "x == 2",
    "none": "n == 0",
    "first": "a + c1",
    "other": "i64(w == 0)",
    "counted": "f1",
    "range": "n",
    "more": "",
    "last": "n - 1",
    "one": "1",
    "base": "lowest",
}

EXPANSION = r"""
entry main [n] (t : i64) (xs : [n]i64) -> (r : i64) =
  let (sizes : [n]i64) (firsts : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[{read}]
      let (size : i64) = {size}
      let (ok : bool) = {checked}
      assert ok "a size is negative"
      let (first : i64) = {also}
      in (size, first)
  let (ends : [n]i64) =
    kernel j < n scan (\(a : i64) (b : i64) ->
      let (s : i64) = {added}
      let (g : i64) = {sum}
      in (g)) ({neutral})
    do
      let (y : i64) = sizes[{here}]
      let (v : i64) = {counted}
      in (v)
  let (places : [n]i64) =
    kernel k < n do
      let (z : i64) = sizes[{at}]
      let (e : i64) = ends[{end}]
      let (w : i64) = firsts[k]
      {more}
      let (some : bool) = {some}
      let (place : i64) =
        if some then
          let (p : i64) = {place}
          in (p)
        else
          let (q : i64) = {other}
          in (q)
      in (place)
  let (m : [6]i64) = replicate [6] 0
  let (ids : [n]i64) = iota [n] 0 1
  let (f : [6]i64) = scatter m places ids
  let (l : i64) = f[0]
  in (l)
"""
EXPANDED = {
    "read": "i",
    "size": "x",
    "checked": "0 <= size",
    "also": "size",
    "added": "a + b",
    "sum": "s | ((a | b | s) >> 63)",
    "neutral": "0",
    "here": "j",
    "counted": "y",
    "at": "k",
    "end": "k",
    "some": "z > 0",
    "place": "e - z",
    "other": "-1",
    "more": "",
}
"""The first place of each group, of groups one after the other."""

DIAGONAL = r"""
entry main [n] [m] (t : i64) (xs : [n]i64) (ys : [m]i64) -> (r : i64) =
  {outer}
  let (columns : [n]i64) =
    kernel i < n do
      let (column : i64) = {column}
      in (column)
  let (grid : [n][m]i64) = replicate [n][m] 0
  let (values : [n]i64) =
    kernel h < n do
      let (x : i64) = xs[h]
      let (value : i64) = {value}
      in (value)
  let (places : [n]i64) =
    kernel k < n do
      let (y : i64) = xs[k]
      let (j : i64) = columns[{at}]
      {more}
      let (inside : bool) = {inside}
      let (place : i64) =
        if inside then
          let (p : i64) = {place}
          in (p)
        else
          in ({other})
      in (place)
  let (row : [m*n]i64) = reshape [m*n] grid
  let (f : [m*n]i64) = scatter row {by} {values}
  in (t)
"""
ON_A_DIAGONAL = {
    "column": "n - 1 - i",
    "value": "x",
    "at": "k",
    "inside": "0 <= j && j < m",
    "place": "m * k + j",
    "other": "-1",
    "values": "values",
    "by": "places",
    "outer": "",
    "more": "",
}

HEAD, BODY = FILTER.split("=", 1)


def doubled(text: str) -> str:
    """The same of an array that is twice as long."""
    return re.sub(r"\b(n|xs)\b", r"\g<1>1", text)


TWICE = f"""{HEAD} =
  let (n1 : i64) = n * 2
  let (xs1 : [n1]i64) =
    kernel i1 < n1 do
      let (half : i64) = i1 / 2
      let (x1 : i64) = xs[half]
      in (x1)
{doubled(BODY)}"""
"""A filter of an array that has each element twice: its length is computed."""

TEMPLATES = {
    "filter": (FILTER, FILTERED),
    "twice": (
        TWICE,
        {k: doubled(v) for k, v in FILTERED.items()},
    ),
    "partition": (PARTITION, PARTITIONED),
    "expansion": (EXPANSION, EXPANDED),
    "diagonal": (DIAGONAL, ON_A_DIAGONAL),
}
