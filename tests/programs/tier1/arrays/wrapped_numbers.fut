-- What i64 arithmetic computes is an index, a length or a bound: it wraps around before.
-- ==
-- entry: index
-- input { [7i64, 8i64, 9i64] 0i64 } output { 7i64 }
-- input { [7i64, 8i64, 9i64] 5i64 } output { 7i64 }
-- input { [7i64, 8i64, 9i64] -1i64 } output { 7i64 }
-- input { empty([0]i64) 1i64 } error: Index

-- 2^64 * i is 0.
entry index [n] (xs: [n]i64) (i: i64) : i64 =
  let far = i * 4294967296 * 4294967296
  in xs[far]

-- ==
-- entry: remainder
-- input { [1i64, 2i64, 3i64, 4i64, 5i64] 12345i64 } output { 4i64 }
-- input { [1i64] -3i64 } output { 1i64 }

-- 12345 * 6364136223846793005 + 1442695040888963407 = 4259 * 2^64 + 2021368500568277588.
entry remainder [n] (xs: [n]i64) (i: i64) : i64 =
  let h = i * 6364136223846793005 + 1442695040888963407
  let r = h - (h / n) * n
  in xs[r]

-- ==
-- entry: bound
-- input { 4294967296i64 4294967296i64 } output { 0i64 }
-- input { 3i64 4i64 } output { 12i64 }
-- input { -3i64 4i64 } output { 0i64 }
-- input { 4294967296i64 2147483648i64 } output { 0i64 }

entry bound (i: i64) (j: i64) : i64 = loop a = 0 for _k < i * j do a + 1

-- ==
-- entry: length
-- input { 4294967296i64 4294967296i64 } output { 0i64 }
-- input { 2i64 3i64 } output { 6i64 }
-- input { 4294967296i64 2147483648i64 } error: Range
-- input { -1i64 3i64 } error: Range

def count 't [n] (_: [n]t) : i64 = n

entry length (n: i64) (m: i64) : i64 = count (0..<n * m)

-- ==
-- entry: block
-- input { [1i64, 2i64, 3i64, 4i64, 5i64] 1i64 2i64 } output { [3i64, 4i64] }
-- input { [1i64, 2i64, 3i64, 4i64, 5i64] 4611686018427387904i64 4i64 } output { [1i64, 2i64, 3i64, 4i64] }
-- input { [1i64, 2i64, 3i64, 4i64, 5i64] 2i64 2i64 } error: Index
-- input { [1i64, 2i64, 3i64, 4i64, 5i64] 9223372036854775807i64 1i64 } error: Index

-- 2^62 * 4 is 0.
entry block [n] (xs: [n]i64) (i: i64) (b: i64) = copy xs[i * b:i * b + b]

-- ==
-- entry: distance
-- input { 2i64 5i64 } output { 3i64 }
-- input { -1i64 9223372036854775807i64 } error: negative

-- 2^63 - 1 - -1 is -2^63.
entry distance (a: i64) (b: i64) : i64 = count (a..<b)

-- ==
-- entry: far_bound
-- input { -120i8 [7i32, 8i32] } error: Index
-- input { -2i8 [7i32, 8i32] } error: Index
-- input { -1i8 [7i32, 8i32] } output { 0i32 }
-- input { 0i8 [7i32, 8i32] } output { 0i32 }
-- input { 1i8 [7i32, 8i32] } output { 0i32 }

-- -120 - (2^63 - 1) is 2^63 - 119.
entry far_bound (x: i8) (xs: []i32) : i32 =
  let a = i64.i8 x
  in loop acc = 0 for i < a - 9223372036854775807 do acc + xs[i]

-- ==
-- entry: negated
-- input { -128i8 [7i32, 8i32] } output { 8i32 }
-- input { -127i8 [7i32, 8i32] } error: Index
-- input { 1i8 [7i32, 8i32] } error: negative

-- ==
-- entry: squared
-- input { -128i8 [7i32, 8i32] } output { 8i32 }
-- input { 127i8 [7i32, 8i32] } error: Index

-- Neither of -a nor of a * a elements follows that a is not negative; -128 * 2^56 - (2^63 - 1) is 1.
def far (a: i64) : i64 = a * 72057594037927936 - 9223372036854775807

entry negated (x: i8) (xs: []i32) : i32 =
  let a = i64.i8 x
  let ys = replicate (0 - a) 0i32
  in xs[far a] + 0 * i32.i64 (count ys)

entry squared (x: i8) (xs: []i32) : i32 =
  let a = i64.i8 x
  let ys = replicate (a * a) 0i32
  in xs[far a] + 0 * i32.i64 (count ys)

-- ==
-- entry: two_lengths
-- input { -9223372036854775804i64 } output { 6i64 }
-- input { -9223372036854775807i64 } output { 0i64 }
-- input { 3i64 } error: .

-- 2n - 2 and 2(n + 2^63 - 1) differ by 2^64.
entry two_lengths (n: i64) : i64 =
  let y = n + 9223372036854775807
  let ys = iota y
  in count (iota (2 * n - 2) :> [2 * y]i64) + 0 * count ys
