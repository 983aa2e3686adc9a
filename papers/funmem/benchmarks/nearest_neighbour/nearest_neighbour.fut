-- The k places nearest to a point: find the nearest place and remove it, k times, in place.
-- ==
-- input { 2i64 [0f32, 3f32, 1f32] [0f32, 4f32, 0f32] 0f32 0f32 } output { [0i64, 2i64] [0f32, 1f32] }
-- input { 3i64 [0f32, 3f32, 1f32] [0f32, 4f32, 0f32] 3f32 4f32 }
-- output { [1i64, 2i64, 0i64] [0f32, 4.472136f32, 5f32] }
-- input { 2i64 [5f32, 5f32, 5f32] [5f32, 5f32, 5f32] 5f32 6f32 } output { [0i64, 1i64] [1f32, 1f32] }
-- input { 0i64 empty([0]f32) empty([0]f32) 1f32 1f32 } output { empty([0]i64) empty([0]f32) }
-- input { 2i64 [1f32] [1f32] 1f32 1f32 } error: Assertion is false

type near = {distance: f32, place: i64}

-- The nearer of two places; of two equally near places the one with the smaller number.
def nearer (a: near) (b: near) : near =
  if b.distance < a.distance || (b.distance == a.distance && b.place < a.place) then b else a

-- Numbers and distances, nearest first.
def main [n] (k: i64) (latitudes: [n]f32) (longitudes: [n]f32) (latitude: f32) (longitude: f32) :
    ([k]i64, [k]f32) =
  let distance x y =
    f32.sqrt ((x - latitude) * (x - latitude) + (y - longitude) * (y - longitude))
  let distances = map2 distance latitudes longitudes
  let places = assert (k >= 0 && k <= n) (replicate k 0)
  let (_, places, nearest) =
    loop (distances, places, nearest) = (distances, places, replicate k 0) for i < k do
      let best = map2 (\distance place -> {distance, place}) distances (iota n)
                 |> reduce_comm nearer {distance = f32.inf, place = i64.highest}
      in ( distances with [best.place] = f32.inf
         , places with [i] = best.place
         , nearest with [i] = best.distance )
  in (places, nearest)
