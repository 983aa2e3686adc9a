-- Histogram equalisation of a grey picture.
-- ==
-- input { [[52u8, 55u8, 61u8], [55u8, 90u8, 52u8]] }
-- output { [[0u8, 127u8, 191u8], [127u8, 255u8, 0u8]] }
-- input { [[9u8]] }
-- output { [[0u8]] }

entry main [h] [w] (picture: [h][w]u8) : [h][w]u8 =
  let pixels = flatten picture
  let counts = hist (+) 0i64 256 (map i64.u8 pixels) (map (const 1) pixels)
  let below = scan (+) 0 counts
  let first = i64.minimum (map (\c -> if c > 0 then c else i64.highest) below)
  let level c = if h * w == first then 0 else u8.i64 (i64.max 0 (c - first) * 255 / (h * w - first))
  let levels = map level below
  in map (map (\p -> levels[i64.u8 p])) picture
