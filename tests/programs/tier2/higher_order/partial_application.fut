-- Functions of the program, of the library and operators are applied to fewer arguments than they take.
-- ==
-- input { 2 3 5 } output { 25 25 25 }
-- input { 0 0 1 } output { 0 0 0 }

def volume (a: i32) (b: i32) (c: i32) : i32 = (a + b) * c

def main (a: i32) (b: i32) (c: i32) : (i32, i32, i32) =
  let one = volume a
  let two = one b
  in (one b c, two c, volume a b c)

-- ==
-- entry: of_library
-- input { [1, 2, 3] } output { [2, 3, 4] 6 [3, 2, 1] }

entry of_library [n] (xs: [n]i32) : ([n]i32, i32, [n]i32) =
  let increment_all = map (+ 1)
  let total = reduce (+) 0
  let back = reverse
  in (increment_all xs, total xs, back xs)

-- ==
-- entry: operator_sections
-- input { 7 } output { 4 -4 3 1 true }

entry operator_sections (x: i32) : (i32, i32, i32, i32, bool) =
  ((\y -> y - 3) x, (3 -) x, (/ 2) x, (`i32.min` 1) x, (3 <) x)

-- ==
-- entry: mapped_partial
-- input { [1, 2] [10, 20] } output { [[11, 21], [12, 22]] }
-- input { empty([0]i32) [1] } output { empty([0][1]i32) }

entry mapped_partial [n] [m] (xs: [n]i32) (ys: [m]i32) : [n][m]i32 =
  map (\x -> map ((+) x) ys) xs
