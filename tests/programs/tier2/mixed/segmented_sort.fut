-- Each segment is sorted by itself: two radix sorts, loops in a loop that scan and scatter.
-- ==
-- input { [true, false, false, true, true, false] [5u8, 2u8, 9u8, 1u8, 255u8, 7u8] }
-- output { [2u8, 5u8, 9u8, 1u8, 7u8, 255u8] [1i64, 0i64, 2i64, 3i64, 5i64, 4i64] }
-- input { [false, true, false] [4u8, 4u8, 4u8] } output { [4u8, 4u8, 4u8] [0i64, 1i64, 2i64] }
-- input { [true] [7u8] } output { [7u8] [0i64] }
-- input { empty([0]bool) empty([0]u8) } output { empty([0]u8) empty([0]i64) }

def by_bit [n] (xs: [n]u8, is: [n]i64) (bit: i32) : ([n]u8, [n]i64) =
  let ones = map (\x -> i64.u8 ((x >> u8.i32 bit) & 1)) xs
  let zeros = map (1 -) ones
  let before = i64.sum zeros
  let places = map3 (\one z o -> if one == 0 then z - 1 else before + o - 1)
                    ones (scan (+) 0 zeros) (scan (+) 0 ones)
  in (scatter (copy xs) places xs, scatter (copy is) places is)

def argsort [n] (xs: [n]u8) : ([n]u8, [n]i64) = loop s = (xs, iota n) for b < 8 do by_bit s b

entry main [n] (starts: [n]bool) (xs: [n]u8) : ([n]u8, [n]i64) =
  let segments = map u8.i64 (scan (+) 0 (map i64.bool starts))
  let (ys, is) = argsort xs
  let (_, js) = argsort (map (\i -> segments[i]) is)
  in (map (\j -> ys[j]) js, map (\j -> is[j]) js)
