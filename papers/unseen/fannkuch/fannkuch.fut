-- Fannkuch: the most flips that bring 0 to the front, over all permutations (Benchmarks Game).
-- ==
-- input { 4i64 }
-- output { 4i32 4i32 }
-- input { 1i64 }
-- output { 0i32 0i32 }

def factorial (n: i64) : i64 = loop f = 1 for i < n do f * (i + 1)

-- The permutation of this number: prefixes are rotated by the digits in the factorial base.
def permutation (n: i64) (number: i64) : *[n]i32 =
  let (p, _) =
    loop (p, left) = (map i32.i64 (iota n), number) for k < n do
      let i = n - 1 - k
      let f = factorial i
      let d = left / f
      let old = copy p
      let p = loop p for j < i + 1 do p with [j] = old[(j + d) % (i + 1)]
      in (p, left % f)
  in p

def flips [n] (p: *[n]i32) : i32 =
  let (_, count) =
    loop (p, count) = (p, 0) while p[0] != 0 do
      let first = i64.i32 p[0]
      let p =
        loop p for j < (first + 1) / 2 do
          let x = p[j]
          let y = p[first - j]
          let p[j] = y
          let p[first - j] = x
          in p
      in (p, count + 1)
  in count

entry main (n: i64) : (i32, i32) =
  let counts = map (\k -> flips (permutation n k)) (iota (factorial n))
  let signed = map2 (\k c -> if k % 2 == 0 then c else -c) (indices counts) counts
  in (i32.sum signed, i32.maximum counts)
