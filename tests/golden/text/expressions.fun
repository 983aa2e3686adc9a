entry every [n] [m] (x : [n][m]f32) (y : *[n]i64) (c : bool) (a : i64)
    -> [k] (r1 : [k]f32) (r2 : [n]i64) =
  let (e : f32) = x[0, m - 1]
  let (s1 : [n][m]f32) = x[0 : n, 0 : m]
  let (s2 : [m]f32) = x[n - 1, m - 1 : m : -1]
  let (s3 : [3]f32) = x[0 : 3 : 0, 2*a*a + a]
  let (p : [m][n]f32) = permute (1, 0) x
  let (q : [m*n]f32) = reshape [m*n] x
  let (q2 : [1][m][n]f32) = reshape [1][m][n] x
  let (v : [n][m]f32) = reverse 1 x
  let (f : [2][a]f32) = flat q[a + {(2 : m + 1) (a : -1)}]
  let (f0 : f32) = flat q[3 + {}]
  let (i1 : [n]i64) = iota [n] 0 1
  let (i2 : [2*n]u8) = iota [2*n] 250u8 3u8
  let (rp : [n][m]f16) = replicate [n][m] 1.5f16
  let (rq : [3][n]i64) = replicate [3] i1
  let (l0 : [0]f32) = [] : f32
  let (l1 : [4]i8) = [1i8, -128i8, 127i8, 0i8] : i8
  let (l2 : [2][n]i64) = [i1, y] : [n]i64
  let (cp : [n]i64) = copy i1
  let (ct : [3*n]i64) = concat 0 i1 y cp
  let (sc : [n][2]bool) = scratch [n][2]bool
  let (u1 : [n]i64) = cp with [a] = -5
  let (u2 : [n]i64) = u1 with [0 : a : 2] = s3
  let (u3 : [n]i64) = u2 with flat [n - 1 + {(a : -2) (n : 1)}] = rq
  let (u4 : [n]i64) = u3 with flat [0 + {}] = 5
  let (st : [n]i64) = scatter u4 i1 y
  let (copied : i64) = a
  let (truth : bool) = true
  assert c "c holds"
  assert c "{} of {{{}}}" (x, -3i8)
  assert false "quote \" backslash \\ line\nbreak\ttab bell \u{7} é ∀ 😀 😀 \u{202E}"
  let =
    if c then
      assert truth "then"
      in ()
    else
      in ()
  in (k, q, st)

entry nothing -> =
  in ()

entry long (c : bool) (the_first_of_many : i64) -> =
  assert c "{} {} {} {} {}" (the_first_of_many, the_first_of_many, the_first_of_many,
      the_first_of_many, -1.5f32)
  in ()
