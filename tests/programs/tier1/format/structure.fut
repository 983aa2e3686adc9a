-- Counts of allocations after the whole pipeline: none for a scalar result or an update in place.
-- ==
-- entry: norm
-- input { [3.0, 4.0] } output { 5.0 }
-- input { empty([0]f64) } output { 0.0 }
-- structure seq-mem { Alloc 0 }

-- ==
-- entry: bump
-- input { [1, 2, 3] 1i64 } output { [1, 3, 3] }

entry norm [n] (xs: [n]f64) = xs |> map (** 2) |> f64.sum |> f64.sqrt
entry bump [n] (xs: *[n]i32) (i: i64) : *[n]i32 = xs with [i] = xs[i] + 1
