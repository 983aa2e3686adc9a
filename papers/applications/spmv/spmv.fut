-- Sparse matrix times vector, the matrix in CSR form: flattened with a segmented scan, and row by row.
-- ==
-- input { [0i64, 2i64, 2i64, 3i64] [0i64, 2i64, 1i64] [1.0, 2.0, 3.0] [10.0, 20.0, 30.0] }
-- output { [70.0, 0.0, 60.0] }
-- input { [0i64, 0i64] empty([0]i64) empty([0]f64) [1.0] } output { [0.0] }
-- input { [0i64] empty([0]i64) empty([0]f64) empty([0]f64) } output { empty([0]f64) }
-- input { [0i64, 1i64] [5i64] [1.0] [1.0] } error: out of bounds

-- Row i has the elements from starts[i] up to starts[i + 1], with their columns.
type csr [k] [z] = {starts: [k]i64, columns: [z]i64, values: [z]f64}

def segmented_scan 'a [n] (op: a -> a -> a) (ne: a) (flags: [n]bool) (xs: [n]a) : [n]a =
  zip flags xs
  |> scan (\(f, x) (g, y) -> (f || g, if g then y else op x y)) (false, ne)
  |> map (.1)

-- All products in parallel, however long a row is; the last sum of each row is its result.
def multiply [k] [z] [m] (a: csr [k] [z]) (x: [m]f64) : []f64 =
  let products = map2 (\v j -> v * x[j]) a.values a.columns
  let flags = spread z false a.starts (replicate k true)
  let sums = segmented_scan (+) 0 flags products
  in map2 (\start end -> if start == end then 0 else sums[end - 1]) (init a.starts) (tail a.starts)

def main [k] [z] [m] (starts: [k]i64) (columns: [z]i64) (values: [z]f64) (x: [m]f64) : []f64 =
  multiply {starts, columns, values} x

-- ==
-- entry: by_rows
-- input { [0i64, 2i64, 2i64, 3i64] [0i64, 2i64, 1i64] [1.0, 2.0, 3.0] [10.0, 20.0, 30.0] }
-- output { [70.0, 0.0, 60.0] }
-- input { [0i64] empty([0]i64) empty([0]f64) empty([0]f64) } output { empty([0]f64) }

-- One sequential row per thread: better where rows are short and alike.
entry by_rows [k] [z] [m] (starts: [k]i64) (columns: [z]i64) (values: [z]f64) (x: [m]f64) : []f64 =
  map2 (\start end -> loop sum = 0 for e in start..<end do sum + values[e] * x[columns[e]])
       (init starts) (tail starts)

-- ==
-- entry: largest_eigenvalue
-- input { 100 [0i64, 2i64, 4i64] [0i64, 1i64, 0i64, 1i64] [2.0, 1.0, 1.0, 2.0] [1.0, 0.5] }
-- output { 3.0 [0.70710678, 0.70710678] }

-- Power iteration on a square matrix.
entry largest_eigenvalue [k] [z] [m] (rounds: i32) (starts: [k]i64) (columns: [z]i64)
    (values: [z]f64) (x: [m]f64) : (f64, [m]f64) =
  let a: csr [k] [z] = {starts, columns, values}
  let norm [n] (v: [n]f64) = f64.sqrt (f64.sum (map (\e -> e * e) v))
  let normalised [n] (v: [n]f64) = let s = norm v in map (/ s) v
  let v = loop v = normalised x for _r < rounds do normalised (multiply a v :> [m]f64)
  in (norm (multiply a v), v)
