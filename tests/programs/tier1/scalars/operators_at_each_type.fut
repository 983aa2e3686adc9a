-- Arithmetic, bit and comparison operators as qualified functions, at signed, unsigned and float types.
-- ==
-- entry: i16s
-- input { -7i16 2i16 } output { [-5i16, -9i16, -14i16, -4i16, 1i16, -3i16, -1i16, 49i16] [0i16, -5i16, -5i16, -28i16, -2i16, 16382i16] }

-- ==
-- entry: u64s
-- input { 7u64 2u64 } output { [9u64, 5u64, 14u64, 3u64, 1u64, 3u64, 1u64, 49u64] [2u64, 7u64, 5u64, 28u64, 1u64, 1u64] }

-- ==
-- entry: f32s
-- input { 7f32 2f32 } output { [9f32, 5f32, 14f32, 3.5f32, 1f32, 49f32] [false, true, false, false, true, true] }

-- ==
-- entry: orders
-- input { 3i8 -4i8 } output { [false, true, false, false, true, true] }
-- input { 0i8 0i8 } output { [true, false, false, true, false, true] }

-- ==
-- entry: folded
-- input { [200u8, 100u8, 7u8] } output { 51u8 30u8 0u8 239u8 }

entry i16s (x: i16) (y: i16) =
  ( [(i16.+) x y, (i16.-) x y, (i16.*) x y, (i16./) x y, (i16.%) x y, (i16.//) x y, (i16.%%) x y, (i16.**) x y]
  , [(i16.&) x y, (i16.|) x y, (i16.^) x y, (i16.<<) x y, (i16.>>) x y, (i16.>>>) x y] )
entry u64s (x: u64) (y: u64) =
  ( [(u64.+) x y, (u64.-) x y, (u64.*) x y, (u64./) x y, (u64.%) x y, (u64.//) x y, (u64.%%) x y, (u64.**) x y]
  , [(u64.&) x y, (u64.|) x y, (u64.^) x y, (u64.<<) x y, (u64.>>) x y, (u64.>>>) x y] )
entry f32s (x: f32) (y: f32) =
  ( [(f32.+) x y, (f32.-) x y, (f32.*) x y, (f32./) x y, (f32.%) x y, (f32.**) x y]
  , [(f32.==) x y, (f32.!=) x y, (f32.<) x y, (f32.<=) x y, (f32.>) x y, (f32.>=) x y] )
entry orders (x: i8) (y: i8) = [(i8.==) x y, (i8.!=) x y, (i8.<) x y, (i8.<=) x y, (i8.>) x y, (i8.>=) x y]
entry folded [n] (xs: [n]u8) = (reduce (u8.+) 0 xs, u8.sum (map (u8.+ 249) xs), reduce (u8.&) 255 xs, reduce (u8.|) 0 xs)
