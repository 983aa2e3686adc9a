-- Replicated and segmented iota.
-- ==
-- entry: replicated
-- input { [2i64, 0i64, 3i64, 1i64] } output { [0i64, 0i64, 2i64, 2i64, 2i64, 3i64] }
-- input { [0i64, 0i64, 1i64, 0i64] } output { [2i64] }
-- input { [0i64, 0i64] } output { empty([0]i64) }
-- input { [3i64] } output { [0i64, 0i64, 0i64] }
-- input { [2i64, -3i64, 1i64] } output { [0i64, 0i64, 2i64] }
-- input { empty([0]i64) } output { empty([0]i64) }
entry replicated (reps: []i64) : []i64 = replicated_iota reps

-- ==
-- entry: segmented
-- input { [true, false, false, true, true, false] } output { [0i64, 1i64, 2i64, 0i64, 0i64, 1i64] }
-- input { [false, false, true] } output { [0i64, 1i64, 0i64] }
-- input { [false] } output { [0i64] }
-- input { empty([0]bool) } output { empty([0]i64) }
entry segmented (flags: []bool) : []i64 = segmented_iota flags
