-- Radix sort with digits of eight bits: each chunk counts its digits, a scan says where each chunk's
-- digits begin, and each chunk says in order where its elements go.
-- ==
-- input { [5u32, 3u32, 4294967295u32, 0u32, 3u32] } output { [0u32, 3u32, 3u32, 5u32, 4294967295u32] }
-- input { [256u32, 1u32, 65536u32, 257u32] } output { [1u32, 256u32, 257u32, 65536u32] }
-- input { empty([0]u32) } output { empty([0]u32) }

def digits : i64 = 256
def chunks : i64 = 64

def pass [n] (shift: u32) (xs: [n]u32) : [n]u32 =
  let length = (n + chunks - 1) / chunks
  let digit (x: u32) = i64.u32 ((x >> shift) & 255)
  let size c = i64.max 0 (i64.min length (n - c * length))
  let counts =
    tabulate chunks (\c -> loop found = replicate digits 0i32 for k < size c do
                             let d = digit xs[c * length + k]
                             in found with [d] = found[d] + 1)
  -- All chunks' zeros, then all chunks' ones, and so on.
  let upto = scan (+) 0 (flatten (transpose counts))
  let starts = transpose (unflatten (map2 (-) upto (flatten (transpose counts)))) :> [chunks][digits]i32
  let places =
    tabulate chunks (\c ->
      let (places, _) =
        loop (places, next) = (replicate length (-1), map i64.i32 starts[c]) for k < size c do
          let d = digit xs[c * length + k]
          let at = next[d]
          in (places with [k] = at, next with [d] = at + 1)
      in places)
  in scatter (replicate n 0u32) (take n (flatten places)) xs

entry main [n] (xs: [n]u32) : [n]u32 = loop xs for k < 4 do pass (8 * u32.i32 k) xs
