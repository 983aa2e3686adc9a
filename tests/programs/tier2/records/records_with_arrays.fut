-- A record may hold arrays of a common size; the size is usable where the record is a parameter.
-- ==
-- input { [1.0, 2.0] [3.0, 4.0] } output { 11.0 2i64 }
-- input { empty([0]f64) empty([0]f64) } output { 0.0 0i64 }

type vectors [n] = {left: [n]f64, right: [n]f64}

def dot [n] (v: vectors [n]) : (f64, i64) =
  (f64.sum (map2 (*) v.left v.right), n)

def main [n] (xs: [n]f64) (ys: [n]f64) : (f64, i64) = dot {left = xs, right = ys}

-- ==
-- entry: csr_row
-- input { [0i64, 2i64, 2i64, 3i64] [5.0, 6.0, 7.0] } output { [11.0, 0.0, 7.0] }
-- input { [0i64] empty([0]f64) } output { empty([0]f64) }

type csr [n] [m] = {starts: [n + 1]i64, values: [m]f64}

def row_sums [n] [m] (a: csr [n] [m]) : [n]f64 =
  tabulate n (\i -> loop acc = 0 for k in a.starts[i]..<a.starts[i + 1] do acc + a.values[k])

entry csr_row [k] [m] (starts: [k]i64) (values: [m]f64) : []f64 =
  let n = k - 1
  in row_sums {starts = starts :> [n + 1]i64, values}

-- ==
-- entry: array_of_records_of_arrays
-- input { 3i64 } output { [[0i64, 1i64], [1i64, 2i64], [2i64, 3i64]] }
-- input { 0i64 } output { empty([0][2]i64) }

entry array_of_records_of_arrays (n: i64) : [n][2]i64 =
  let rs = map (\i -> {id = i, ends = [i, i + 1]}) (iota n)
  in map (.ends) rs
