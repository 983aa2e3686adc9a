-- Slices with strides: positive, negative, larger than the array, and with open ends.
-- ==
-- entry: positive
-- input { [0, 1, 2, 3, 4, 5, 6] } output { [0, 2, 4, 6] [1, 4] [2, 4] [0] }

-- ==
-- entry: negative
-- input { [0, 1, 2, 3, 4] } output { [4, 3, 2, 1, 0] [4, 2, 0] [3, 2] [4, 3] }
-- input { [0, 1, 2, 3, 4, 5] } output { [5, 4, 3, 2, 1, 0] [5, 3, 1] [3, 2] [5, 4] }

-- ==
-- entry: by_stride
-- input { [10, 20, 30, 40, 50] 2i64 } output { [10, 30, 50] 3i64 }
-- input { [10, 20, 30, 40, 50] 5i64 } output { [10] 1i64 }
-- input { [10, 20, 30, 40, 50] -1i64 } output { [50, 40, 30, 20, 10] 5i64 }
-- input { [10, 20, 30, 40, 50] -3i64 } output { [50, 20] 2i64 }
-- input { empty([0]i32) 2i64 } output { empty([0]i32) 0i64 }

-- ==
-- entry: deinterleave
-- input { [1, -1, 2, -2, 3, -3] } output { [1, 2, 3] [-1, -2, -3] }
-- input { empty([0]i32) } output { empty([0]i32) empty([0]i32) }

entry positive (xs: []i32) = (xs[::2], xs[1:7:3], xs[2:6:2], xs[::100])
entry negative [n] (xs: [n]i32) = (xs[::-1], xs[::-2], xs[3:1:-1], xs[:n - 3:-1])
entry by_stride (xs: []i32) (s: i64) = let ys = xs[::s] in (ys, length ys)
entry deinterleave (xs: []i32) = (xs[0::2], xs[1::2])
