-- A size may be any expression of type i64: a claimed one is computed and compared.
def product (p: (i64, i64)) : i64 = p.0 * p.1

-- ==
-- entry: element
-- input { [3i64] 3i64 } output { [0i64, 1i64, 2i64] }
-- input { [3i64] 4i64 } error: cannot match shape

entry element (ys: []i64) (k: i64) : []i64 = iota k :> [ys[0]]i64

-- ==
-- entry: chosen
-- input { true 3i64 3i64 } output { [0i64, 1i64, 2i64] }
-- input { true 3i64 4i64 } error: cannot match shape
-- input { false 3i64 1i64 } output { [0i64] }
-- input { false 3i64 3i64 } error: cannot match shape

entry chosen (b: bool) (n: i64) (k: i64) : []i64 = iota k :> [if b then n else 1]i64

-- ==
-- entry: of_pair
-- input { 2i64 4i64 } output { [0i64, 1i64, 2i64, 3i64] }
-- input { 3i64 4i64 } error: cannot match shape

entry of_pair (n: i64) (k: i64) : []i64 = iota k :> [product (n, 2)]i64

-- ==
-- entry: counted
-- input { [2i64, 1i64, 3i64] 2i64 } output { [0i64, 1i64] }
-- input { [2i64, 1i64, 3i64] 3i64 } error: cannot match shape

entry counted (xs: []i64) (k: i64) : []i64 = iota k :> [length (filter (> 1) xs)]i64

-- ==
-- entry: piped
-- input { 2i64 3i64 } output { [0i64, 1i64, 2i64] }
-- input { 2i64 2i64 } error: cannot match shape

entry piped (n: i64) (k: i64) : []i64 = iota k :> [n |> (+ 1)]i64

-- A size that a function needs as a number is computed, too.
-- ==
-- entry: repeated
-- input { 2i64 4i64 } output { [1i64, 1i64] }
-- input { 3i64 4i64 } output { [1i64, 1i64, 1i64, 1i64] }

entry repeated (n: i64) (k: i64) : []i64 = rep 1 : [if n > 2 then k else n]i64

-- The same expression over the same variables is the same size, also through a function.
def upto (xs: []i64) : [xs[0]]i64 = iota xs[0]

-- ==
-- entry: equal
-- input { [3i64, 4i64] } output { [0i64, 2i64, 4i64] [[0i64, 1i64], [0i64, 1i64]] }

entry equal (ys: []i64) : ([]i64, [][]i64) =
  let a : [ys[0]]i64 = upto ys
  in (map2 (+) a (iota ys[0]), [iota (length (filter (> 2) ys)), iota (length (filter (> 2) ys))])

-- ==
-- entry: multiplied
-- input { 2i64 [3i64] } output { [[0i64, 1i64], [2i64, 3i64], [4i64, 5i64]] }
-- input { 2i64 [4i64] } error: cannot match shape

entry multiplied (n: i64) (ys: []i64) : [][]i64 = unflatten (iota (ys[0] * n) :> [3 * n]i64)

-- ==
-- entry: in_loop
-- input { [3i64] 2i64 } output { [0i64, 3i64, 6i64] }

entry in_loop (ys: []i64) (k: i64) : []i64 =
  loop xs = iota ys[0] for _i < k do map2 (+) xs (iota ys[0])

-- ==
-- entry: in_rows
-- input { [3i64, 4i64] 0i64 } output { [3i64, 6i64] }
-- input { [3i64, 4i64] 1i64 } error: cannot match shape

entry in_rows (ys: []i64) (k: i64) : []i64 =
  map (\i -> i64.sum (iota ys[i] :> [ys[i] + k]i64)) (iota 2)

-- Outside of a `let`, a size that is named there is the value of what it is bound to.
def above (xs: []i64) (b: bool) =
  let m = if b then 1 else xs[0]
  let n = m + 1
  in (iota n, n)

-- ==
-- entry: named_inside
-- input { [3i64, 4i64] } output { [0i64, 2i64, 4i64] [0i64, 1i64, 2i64, 3i64] [0i64, 2i64] }

entry named_inside (xs: []i64) : ([]i64, []i64, []i64) =
  let a = (let n = xs[0] in iota n)
  let (c, _) = above xs false
  in (map2 (+) a (iota xs[0]), c, map2 (+) (above xs true).0 (above xs true).0)

-- ==
-- entry: of_field
-- input { 2i64 3i64 } output { [0i64, 1i64, 2i64] [7i32, 7i32] }
-- input { 2i64 4i64 } error: cannot match shape

type counted_by = {n: {m: i64}, k: (i64, bool)}

def sevens (c: counted_by) : [c.n.m]i32 = rep 7

entry of_field (n: i64) (k: i64) : ([]i64, []i32) =
  let (p, c) : (counted_by, counted_by) = ({n = {m = n}, k = (3, true)}, {n = {m = n}, k = (n, true)})
  in (iota k :> [p.k.0]i64, sevens c)
