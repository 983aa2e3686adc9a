-- sum, product, minimum and maximum of every type, with their neutral elements on empty arrays.
-- ==
-- entry: of_i32
-- input { [3, -1, 4] } output { 6 -12 -1 4 }
-- input { empty([0]i32) } output { 0 1 2147483647 -2147483648 }
-- input { [-7] } output { -7 -7 -7 -7 }

-- ==
-- entry: of_i8
-- input { [100i8, 100i8, 2i8] } output { -54i8 32i8 2i8 100i8 }

-- ==
-- entry: of_u8
-- input { [200u8, 100u8] } output { 44u8 32u8 100u8 200u8 }
-- input { empty([0]u8) } output { 0u8 1u8 255u8 0u8 }

-- ==
-- entry: of_i64
-- input { [4000000000i64, -1i64] } output { 3999999999i64 -4000000000i64 -1i64 4000000000i64 }

-- ==
-- entry: of_f64
-- input { [0.5, -2.0, 4.0] } output { 2.5 -4.0 -2.0 4.0 }
-- input { empty([0]f64) } output { 0.0 1.0 f64.inf -f64.inf }

-- ==
-- entry: of_others
-- input { [1, 2, 3] } output { 6i16 6u16 3u32 1u64 6f32 }

entry of_i32 [n] (xs: [n]i32) = (i32.sum xs, i32.product xs, i32.minimum xs, i32.maximum xs)
entry of_i8 [n] (xs: [n]i8) = (i8.sum xs, i8.product xs, i8.minimum xs, i8.maximum xs)
entry of_u8 [n] (xs: [n]u8) = (u8.sum xs, u8.product xs, u8.minimum xs, u8.maximum xs)
entry of_i64 [n] (xs: [n]i64) = (i64.sum xs, i64.product xs, i64.minimum xs, i64.maximum xs)
entry of_f64 [n] (xs: [n]f64) = (f64.sum xs, f64.product xs, f64.minimum xs, f64.maximum xs)
entry of_others [n] (xs: [n]i32) =
  ( i16.sum (map i16.i32 xs), u16.product (map u16.i32 xs), u32.maximum (map u32.i32 xs)
  , u64.minimum (map u64.i32 xs), f32.product (map f32.i32 xs) )
