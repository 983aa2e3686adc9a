-- The bounding box of points in the plane: each point is a box, and boxes are joined.
-- ==
-- input { [1f32, -2f32, 0.5f32] [3f32, 4f32, -5f32] } output { -2f32 -5f32 1f32 4f32 }
-- input { [7f32] [8f32] } output { 7f32 8f32 7f32 8f32 }
-- input { empty([0]f32) empty([0]f32) } output { f32.inf f32.inf -f32.inf -f32.inf }

type box = {left: f32, low: f32, right: f32, high: f32}

def nothing : box = {left = f32.inf, low = f32.inf, right = -f32.inf, high = -f32.inf}

def join (a: box) (b: box) : box =
  {left = f32.min a.left b.left, low = f32.min a.low b.low,
   right = f32.max a.right b.right, high = f32.max a.high b.high}

entry main [n] (xs: [n]f32) (ys: [n]f32) : (f32, f32, f32, f32) =
  let {left, low, right, high} =
    reduce_comm join nothing (map2 (\x y -> {left = x, low = y, right = x, high = y}) xs ys)
  in (left, low, right, high)
