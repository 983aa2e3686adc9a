-- What opening each candidate as a new centre would save (Rodinia streamcluster, the gain function).
-- ==
-- input { 2i64 1f32 [1i64, 2i64] [0i64, 0i64, 0i64, 1i64] [0f32, 4f32, 9f32, 0f32] [1f32, 1f32, 2f32, 1f32] [[0f32, 0f32], [2f32, 0f32], [3f32, 0f32], [9f32, 9f32]] }
-- output { [10.0f32, 11.0f32] [0i64, 0i64] }
-- input { 1i64 2f32 [0i64] [0i64] [0f32] [1f32] [[5f32]] }
-- output { [-0.0f32] [1i64] }

def distance [d] (p: [d]f32) (q: [d]f32) : f32 =
  f32.sum (map2 (\x y -> (x - y) * (x - y)) p q)

entry main [n] [d] [c]
    (k: i64) (facility: f32) (candidates: [c]i64) (assigned: [n]i64) (cost: [n]f32) (weight: [n]f32)
    (points: [n][d]f32) : ([c]f32, [c]i64) =
  let gain (candidate: i64) : (f32, i64) =
    let here = points[candidate]
    let change = map3 (\p w old -> w * distance p here - old) points weight cost
    let switches = map (< 0) change
    let saved = f32.sum (map (f32.min 0) change)
    -- A centre whose remaining points cost less than a facility when they move is closed.
    let move = map2 (\s x -> if s then 0 else x) switches change
    let closing = map (\x -> x - facility) (hist (+) 0 k assigned move)
    let closes = map (< 0) closing
    in (-(facility + saved + f32.sum (map (f32.min 0) closing)),
        i64.sum (map i64.bool closes))
  in unzip (map gain candidates)
