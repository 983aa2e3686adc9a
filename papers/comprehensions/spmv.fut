-- A sparse matrix times a vector.  Row i has the elements from starts[i] to starts[i + 1] - 1, with
-- their columns.  The elements are generated as one flat array and grouped by row.
-- ==
-- input { [0i64, 2i64, 2i64, 3i64] [0i64, 2i64, 1i64] [1.0, 2.0, 3.0] [10.0, 20.0, 30.0] }
-- output { [70.0, 0.0, 60.0] }
-- input { [0i64, 0i64] empty([0]i64) empty([0]f64) [1.0] } output { [0.0] }
-- input { [0i64] empty([0]i64) empty([0]f64) empty([0]f64) } output { empty([0]f64) }
-- input { [0i64, 1i64] [5i64] [1.0] [1.0] } error: out of bounds
-- input { [0i64, 1i64, 0i64] [0i64] [1.0] [1.0] } error: Range 1..<0 is invalid.

-- The keys are generated in order, so nothing is sorted.  A row without elements has no group.
def main [k] [z] (starts: [k]i64) (columns: [z]i64) (values: [z]f64) (x: []f64) : []f64 =
  let sums =
    [ (row, sum)
    | i <- 0..<(k - 1), e <- starts[i]..<starts[i + 1],
      group by row = i into sum = (+) 0 (values[e] * x[columns[e]]) ]
  let (rows, totals) = unzip sums
  in scatter (replicate (k - 1) 0) rows totals

-- ==
-- entry: row_by_row expanded
-- input { [0i64, 2i64, 2i64, 3i64] [0i64, 2i64, 1i64] [1.0, 2.0, 3.0] [10.0, 20.0, 30.0] }
-- output { [70.0, 0.0, 60.0] }
-- input { [0i64, 0i64] empty([0]i64) empty([0]f64) [1.0] } output { [0.0] }
-- input { [0i64] empty([0]i64) empty([0]f64) empty([0]f64) } output { empty([0]f64) }

-- A comprehension inside a comprehension: a sequential loop for each row.
entry row_by_row [k] [z] (starts: [k]i64) (columns: [z]i64) (values: [z]f64) (x: []f64) : []f64 =
  [ f64.sum [ values[e] * x[columns[e]] | e <- starts[i]..<starts[i + 1] ] | i <- 0..<(k - 1) ]

-- The same with library functions.
entry expanded [k] [z] (starts: [k]i64) (columns: [z]i64) (values: [z]f64) (x: []f64) : []f64 =
  expand_outer_reduce (\i -> starts[i + 1] - starts[i])
                      (\i e -> values[starts[i] + e] * x[columns[starts[i] + e]])
                      (+) 0 (iota (k - 1))
