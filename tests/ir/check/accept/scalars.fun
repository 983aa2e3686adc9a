-- Scalar expressions, and elements of arrays.
entry main [n] (x : [n][2]f32) (k : i64) (small : u8) -> (r : f32) (big : bool) (i : i64) =
  let (a : f32) = x[k + 1, 0]
  let (b : f32) = sqrt(a * a + 1.0f32)
  let (j : i32) = i32(k) << 2i32
  let (c : bool) = j < 8i32 && !(a == b)
  let (y : f32) = max(a, f32(small))
  let (z : f32) = y
  let (three : i64) = 3
  assert c "small"
  assert c "{{{}}} and {}" (c, 1.5f32)
  in (z, c, three)

-- Nothing in, nothing out.
entry nothing -> =
  in ()
