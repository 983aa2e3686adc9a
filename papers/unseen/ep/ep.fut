-- Pairs of Gaussian deviates, counted by their larger magnitude (NPB EP): streams of a linear
-- congruential generator modulo 2^46, each of `length` pairs.
-- ==
-- input { 3i64 5i64 }
-- output { 1.3101470171206246f64 8.708045927412453f64 [6i64, 7i64, 1i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64] }
-- input { 1i64 1i64 }
-- output { -0.17272073553193154f64 1.4923932345160755f64 [0i64, 1i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64] }

def mask : u64 = (1 << 46) - 1
def next (seed: u64) : u64 = (seed * 1220703125) & mask
def uniform (seed: u64) : f64 = f64.u64 seed / 70368744177664

def skip (steps: i64) (seed: u64) : u64 =
  let (_, _, seed) =
    loop (left, factor, seed) = (steps, 1220703125, seed) while left > 0 do
      (left / 2, (factor * factor) & mask, if left % 2 == 1 then (seed * factor) & mask else seed)
  in seed

def stream (length: i64) (number: i64) : (f64, f64, [10]i64) =
  let seed = skip (2 * length * number) 271828183
  let (_, sx, sy, counts) =
    loop (seed, sx, sy, counts) = (seed, 0, 0, replicate 10 0) for _k < length do
      let one = next seed
      let two = next one
      let x = 2 * uniform one - 1
      let y = 2 * uniform two - 1
      let t = x * x + y * y
      in if t <= 1
         then let f = f64.sqrt (-2 * f64.log t / t)
              let (gx, gy) = (x * f, y * f)
              let ring = i64.f64 (f64.max (f64.abs gx) (f64.abs gy))
              let counts[ring] = counts[ring] + 1
              in (two, sx + gx, sy + gy, counts)
         else (two, sx, sy, counts)
  in (sx, sy, counts)

entry main (streams: i64) (length: i64) : (f64, f64, [10]i64) =
  let (sxs, sys, counts) = unzip3 (map (stream length) (iota streams))
  in (f64.sum sxs, f64.sum sys, map i64.sum (transpose counts))
