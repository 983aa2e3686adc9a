-- `**` on integers (with wrap-around) and on floats.
-- ==
-- entry: ipow
-- input { 2 10 } output { 1024 }
-- input { -3 3 } output { -27 }
-- input { 0 0 } output { 1 }
-- input { 7 1 } output { 7 }
-- input { 2 31 } output { -2147483648 }
-- input { 2 32 } output { 0 }

-- ==
-- entry: upow
-- input { 3u8 5u8 } output { 243u8 }
-- input { 3u8 6u8 } output { 217u8 }

-- ==
-- entry: fpow
-- input { 2f64 0.5f64 } output { 1.4142135623730951f64 }
-- input { 10f64 -2f64 } output { 0.01f64 }
-- input { 0f64 0f64 } output { 1f64 }
-- input { -2f64 3f64 } output { -8f64 }
-- input { -2f64 0.5f64 } output { f64.nan }

-- ==
-- entry: horner
-- input { [1i64, -2i64, 3i64] 4i64 } output { 41i64 }
-- input { empty([0]i64) 4i64 } output { 0i64 }

entry ipow (b: i32) (e: i32) = b ** e
entry upow (b: u8) (e: u8) = b ** e
entry fpow (b: f64) (e: f64) = b ** e
entry horner [n] (cs: [n]i64) (x: i64) = i64.sum (map2 (\c i -> c * x ** i) cs (iota n))
