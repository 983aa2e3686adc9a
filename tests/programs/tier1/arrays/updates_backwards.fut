-- An update through a slice with a negative stride writes the elements in reverse.
-- ==
-- entry: part
-- input { [1, 2, 3, 4, 5] } output { [1, 9, 8, 7, 5] [1, 2, 7, 4, 6] }

-- ==
-- entry: rows
-- input { [[1, 2], [3, 4]] } output { [[0, 9], [3, 4]] }

-- The whole array at once: compiled Futhark 0.25.32 forgets the direction, its interpreter does not.
-- ==
-- entry: whole
-- no_c input { [1, 2, 3] } output { [3, 2, 1] }
-- no_c input { [1] } output { [1] }
-- no_c input { empty([0]i32) } output { empty([0]i32) }

entry part (xs: [5]i32) = (copy xs with [3:0:-1] = [7, 8, 9], copy xs with [4:0:-2] = [6, 7])
entry rows (xss: *[2][2]i32) = xss with [0, ::-1] = [9, 0]
entry whole [n] (xs: [n]i32) = copy xs with [::-1] = xs
