-- A map whose rows have three elements that are computed by recursion. Futhark 0.25 rejects recursion.
-- ==
-- input { [0i64, 1i64, 2i64, 3i64, 62i64, 40i64] } output { [[1i64, 1i64, 1i64], [1i64, 2i64, 3i64], [1i64, 4i64, 9i64], [1i64, 8i64, 27i64], [1i64, 4611686018427387904i64, 5069619362125685561i64], [1i64, 1099511627776i64, -6289078614652622815i64]] }
def power (x: i64) (n: i64) : i64 = if n == 0 then 1 else x * power x (n - 1)

entry main [k] (ns: [k]i64) : [k][3]i64 =
  map (\n -> let a = power 1 n let b = power 2 n let c = power 3 n in [a, b, c]) ns
