-- A record carries the state of a while loop, a for loop and a for-in loop.
-- ==
-- input { 48 18 } output { 6 3 }
-- input { 7 0 } output { 7 0 }
-- input { 0 7 } output { 7 1 }

def main (a: i32) (b: i32) : (i32, i32) =
  let s = loop s = {a, b, steps = 0} while s.b != 0 do
            {a = s.b, b = s.a % s.b, steps = s.steps + 1}
  in (s.a, s.steps)

-- ==
-- entry: statistics
-- input { [3.0, 1.0, 2.0] } output { 1.0 3.0 2.0 }
-- input { [-4.0] } output { -4.0 -4.0 -4.0 }

entry statistics [n] (xs: [n]f64) : (f64, f64, f64) =
  let s = loop s = {low = f64.inf, high = -f64.inf, sum = 0} for x in xs do
            {low = f64.min s.low x, high = f64.max s.high x, sum = s.sum + x}
  in (s.low, s.high, s.sum / f64.i64 n)

-- ==
-- entry: growing_path
-- input { 3 } output { 3 6 }
-- input { 0 } output { 0 0 }

entry growing_path (n: i32) : (i32, i32) =
  let s = loop s = {inner = {k = 0}, sum = 0} for i < n do
            let s = s with inner.k = s.inner.k + 1
            in s with sum = s.sum + 2 * i
  in (s.inner.k, s.sum)
