-- #[scratch] and #[blank] leave the contents open, so a program must write before it reads.
-- ==
-- entry: prefix_products
-- input { [2.0, 3.0, 4.0] } output { [2.0, 6.0, 24.0] }
-- input { [5.0] } output { [5.0] }
-- input { empty([0]f64) } output { empty([0]f64) }

-- ==
-- entry: shape_only
-- input { 4i64 } output { 4i64 12i64 }
-- input { 0i64 } output { 0i64 0i64 }

entry prefix_products [n] (xs: [n]f64) : [n]f64 =
  let out : *[n]f64 = #[scratch] replicate n 0
  in (loop (out, acc) = (out, 1) for i < n do
        let acc = acc * xs[i] in (out with [i] = acc, acc)).0

entry shape_only (n: i64) : (i64, i64) =
  let m : [n][3]i32 = #[blank] replicate n (replicate 3 0)
  in (length m, length (flatten m))
