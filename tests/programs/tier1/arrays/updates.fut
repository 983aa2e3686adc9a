-- `with` updates an element, a row, or a slice, of a unique array, a copy or a fresh value.
-- ==
-- entry: element
-- input { [1, 2, 3] 1i64 9 } output { [1, 9, 3] }
-- input { [1] 0i64 9 } output { [9] }

-- ==
-- entry: rows
-- input { [[1, 2], [3, 4]] 0i64 } output { [[0, 0], [3, 4]] }
-- input { [[1, 2], [3, 4]] 1i64 } output { [[1, 2], [0, 0]] }

-- ==
-- entry: slices
-- input { [1, 2, 3, 4, 5] } output { [1, 0, 0, 4, 5] [0, 2, 0, 4, 0] }

-- ==
-- entry: columns
-- input { [[1, 2], [3, 4]] } output { [[1, 7], [3, 7]] [[1, 2], [3, 9]] }

-- ==
-- entry: chain
-- input { 4i64 } output { [7i64, 0i64, 0i64, 8i64] }

-- ==
-- entry: nothing
-- input { [1, 2] } output { [1, 2] }

entry element (xs: *[]i32) (i: i64) (v: i32) : []i32 = xs with [i] = v
entry rows [n] [m] (xss: *[n][m]i32) (i: i64) = xss with [i] = replicate m 0
entry slices [n] (xs: [n]i32) =
  ( copy xs with [1:3] = [0, 0], copy xs with [::2] = map (const 0) xs[::2] )
entry columns [n] (m: [n][n]i32) = (copy m with [:, 1] = replicate n 7, copy m with [n - 1, n - 1] = 9)
entry chain (n: i64) = replicate n 0 with [0] = 7i64 with [n - 1] = 8
entry nothing (xs: *[]i32) = xs with [1:1] = []
