-- Top-level constants: scalars, arrays, tuples, used by each other, in types, and in functions.
-- ==
-- entry: days_before
-- input { 0i64 } output { 0 }
-- input { 1i64 } output { 31 }
-- input { 11i64 } output { 334 }

-- ==
-- entry: circle
-- input { 2.0 } output { 12.566370614359172 }

-- ==
-- entry: grid
-- input { } output { [[0i64, 1i64, 2i64], [3i64, 4i64, 5i64]] 6i64 }

-- ==
-- entry: colours
-- input { } output { 255u8 128u8 }

def month_lengths : [12]i32 = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
def month_starts = map2 (-) (scan (+) 0 month_lengths) month_lengths
entry days_before (month: i64) = month_starts[month]

def pi = 3.141592653589793f64
entry circle (r: f64) = pi * r ** 2

def rows = 2i64
def cols : i64 = rows + 1
entry grid : ([rows][cols]i64, i64) =
  (tabulate_2d rows cols (\i j -> i * cols + j), rows * cols)

def orange : (u8, u8, u8) = (255, 128, 0)
entry colours = let (r, g, _) = orange in (r, g)
