-- Sparse matrices over any semiring: a parametric module whose type has size parameters, with `open` in its argument.
-- ==
-- input { 3i64 [0i64, 0i64, 1i64, 2i64] [0i64, 2i64, 1i64, 0i64] [1, 2, 3, -4] [1, 10, 100] }
-- output { [201, 30, -4] }
-- input { 2i64 empty([0]i64) empty([0]i64) empty([0]i32) [1] } output { [0, 0] }
-- input { 0i64 empty([0]i64) empty([0]i64) empty([0]i32) empty([0]i32) } output { empty([0]i32) }

-- ==
-- entry: reach
-- input { 4i64 [0i64, 1i64, 2i64, 3i64] [1i64, 2i64, 0i64, 3i64] 0i64 }
-- output { [true, true, true, false] 3 }
-- input { 1i64 [0i64] [0i64] 0i64 } output { [true] 1 }

module type semiring = {type t val zero: t val +: t -> t -> t val *: t -> t -> t}

module sparse (S: semiring) = {
  type csr [n] [k] = {starts: [n]i64, columns: [k]i64, values: [k]S.t}

  def csr [k] (n: i64) (rows: [k]i64) (columns: [k]i64) (values: [k]S.t) : csr [n] [k] =
    let counts = hist (+) 0 n rows (replicate k 1)
    in {starts = map2 (-) (scan (+) 0 counts) counts, columns, values}

  def times [n] [k] [m] (a: csr [n] [k]) (v: [m]S.t) : [n]S.t =
    let end i = if i == n - 1 then k else a.starts[i + 1]
    in tabulate n (\i -> loop sum = S.zero for j in a.starts[i]..<end i do
                           sum S.+ (a.values[j] S.* v[a.columns[j]]))
}

module numbers = sparse {open i32 def zero = 0i32}
module graphs = sparse {type t = bool def zero = false def (+) = (||) def (*) = (&&)}

entry main [k] [m] (n: i64) (rows: [k]i64) (columns: [k]i64) (values: [k]i32) (v: [m]i32) : [n]i32 =
  numbers.times (numbers.csr n rows columns values) v

entry reach [k] (n: i64) (rows: [k]i64) (columns: [k]i64) (start: i64) : ([n]bool, i32) =
  let a = graphs.csr n rows columns (map (const true) rows)
  let (seen, _, steps) =
    loop (v, more, steps) = (replicate n false with [start] = true, true, 0) while more do
      let w = map2 (||) v (graphs.times a v)
      in (w, or (map2 (!=) v w), steps + 1)
  in (seen, steps)
