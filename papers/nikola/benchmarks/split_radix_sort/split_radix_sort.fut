-- Radix sort by splits (Blelloch 1990): for each bit, elements without it come first, in order.
-- ==
-- input { [5u32, 3u32, 4294967295u32, 0u32, 3u32] } output { [0u32, 3u32, 3u32, 5u32, 4294967295u32] }
-- input { [256u32, 1u32, 65536u32, 257u32] } output { [1u32, 256u32, 257u32, 65536u32] }
-- input { empty([0]u32) } output { empty([0]u32) }

def split [n] (bit: u32) (xs: [n]u32) : [n]u32 =
  let ones = map (\x -> i64.u32 ((x >> bit) & 1)) xs
  let upto = scan (+) 0 ones
  let zeros = if n == 0 then 0 else n - upto[n - 1]
  -- An element without the bit comes after those before it that have none either.
  let place i one before = if one == 1 then zeros + before - 1 else i - before
  in scatter (replicate n 0) (map3 place (iota n) ones upto) xs

entry main [n] (xs: [n]u32) : [n]u32 = loop xs for bit < 32 do split (u32.i32 bit) xs
