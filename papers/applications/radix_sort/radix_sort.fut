-- Radix sort: two bits at a time, each pass one scan over four counters; of any type with bits.
-- ==
-- input { [5u32, 3u32, 4294967295u32, 0u32, 3u32] } output { [0u32, 3u32, 3u32, 5u32, 4294967295u32] }
-- input { [7u32] } output { [7u32] }
-- input { empty([0]u32) } output { empty([0]u32) }

type counters = {zero: i64, one: i64, two: i64, three: i64}

def (+|) (a: counters) (b: counters) : counters =
  {zero = a.zero + b.zero, one = a.one + b.one, two = a.two + b.two, three = a.three + b.three}

def none : counters = {zero = 0, one = 0, two = 0, three = 0}

def count (digit: i32) : counters =
  match digit
  case 0 -> none with zero = 1
  case 1 -> none with one = 1
  case 2 -> none with two = 1
  case _ -> none with three = 1

-- Where an element goes: after all smaller digits, and after its own digit's elements before it.
def place (totals: counters) (digit: i32) (upto: counters) : i64 =
  match digit
  case 0 -> upto.zero - 1
  case 1 -> totals.zero + upto.one - 1
  case 2 -> totals.zero + totals.one + upto.two - 1
  case _ -> totals.zero + totals.one + totals.two + upto.three - 1

-- One stable pass by a digit between 0 and 3.
def pass 'a [n] (digit: a -> i32) (xs: [n]a) : [n]a =
  let digits = map digit xs
  let running = scan (+|) none (map count digits)
  let totals = if n == 0 then none else running[n - 1]
  in scatter (copy xs) (map2 (place totals) digits running) xs

-- Stable; `bit k x` is bit k of what x is sorted by.
def sort_by_bits 'a [n] (num_bits: i32) (bit: i32 -> a -> i32) (xs: [n]a) : [n]a =
  loop xs for i < (num_bits + 1) / 2 do
    pass (\x -> bit (2 * i) x + (if 2 * i + 1 < num_bits then 2 * bit (2 * i + 1) x else 0)) xs

def main [n] (xs: [n]u32) : [n]u32 = sort_by_bits u32.num_bits u32.get_bit xs

-- ==
-- entry: signed
-- input { [3, -1, -2147483648, 2147483647, 0] } output { [-2147483648, -1, 0, 3, 2147483647] }
-- input { empty([0]i32) } output { empty([0]i32) }

-- The sign bit counts the other way round.
entry signed [n] (xs: [n]i32) : [n]i32 =
  sort_by_bits i32.num_bits (\k x -> i32.get_bit k (x ^ i32.lowest)) xs

-- ==
-- entry: floats
-- input { [1.5f32, -2.0f32, f32.inf, 0.0f32, -f32.inf, -0.25f32] }
-- output { [-f32.inf, -2.0f32, -0.25f32, 0.0f32, 1.5f32, f32.inf] }

-- Negative floats turn all their bits, others only the sign: then they order like numbers.
entry floats [n] (xs: [n]f32) : [n]f32 =
  let ordered (x: f32) =
    let b = f32.to_bits x
    in if b >> 31 == 1 then u32.not b else b ^ 0x80000000
  in sort_by_bits u32.num_bits (\k x -> u32.get_bit k (ordered x)) xs

-- ==
-- entry: argsort
-- input { [30u32, 10u32, 20u32, 10u32] } output { [1i64, 3i64, 2i64, 0i64] }
-- input { empty([0]u32) } output { empty([0]i64) }

entry argsort [n] (xs: [n]u32) : [n]i64 =
  zip xs (iota n) |> sort_by_bits u32.num_bits (\k (x, _) -> u32.get_bit k x) |> map (.1)

-- ==
-- entry: by_two_keys
-- input { [1u8, 0u8, 1u8, 0u8] [9u8, 8u8, 7u8, 6u8] } output { [0u8, 0u8, 1u8, 1u8] [6u8, 8u8, 7u8, 9u8] }

-- Stability makes a sort by the second key and then by the first a sort by both.
entry by_two_keys [n] (xs: [n]u8) (ys: [n]u8) : ([n]u8, [n]u8) =
  zip xs ys
  |> sort_by_bits u8.num_bits (\k (_, y) -> u8.get_bit k y)
  |> sort_by_bits u8.num_bits (\k (x, _) -> u8.get_bit k x)
  |> unzip
