-- Record patterns bind fields in parameters, lets, lambdas and loops, nested and with wildcards.
-- ==
-- input { [1, 2, 3] } output { 14 }
-- input { empty([0]i32) } output { 0 }
-- input { [-5] } output { 25 }

type pair = {l: i32, r: i32}

def times ({l, r}: pair) : i32 = l * r

def main [n] (xs: [n]i32) : i32 =
  i32.sum (map times (map (\x -> {l = x, r = x}) xs))

-- ==
-- entry: in_let
-- input { 3 4 } output { 3 4 7 }

entry in_let (a: i32) (b: i32) : (i32, i32, i32) =
  let {first = x, rest = {second = y, third = _}} =
    {first = a, rest = {second = b, third = true}}
  let {sum: i32} = {sum = x + y}
  in (x, y, sum)

-- ==
-- entry: in_lambda
-- input { [1, 2] [10, 20] } output { [11, 22] }
-- input { empty([0]i32) empty([0]i32) } output { empty([0]i32) }

entry in_lambda [n] (xs: [n]i32) (ys: [n]i32) : [n]i32 =
  map2 (\x y -> {x, y}) xs ys |> map (\{x, y} -> x + y)

-- ==
-- entry: in_loop
-- input { 10 } output { 89 }
-- input { 0 } output { 1 }

entry in_loop (n: i32) : i32 =
  let {a = _, b} = loop {a, b} = {a = 0, b = 1} for _i < n do {a = b, b = a + b}
  in b

-- ==
-- entry: mixed_with_tuples
-- input { 1 2 3 } output { 6 }

entry mixed_with_tuples (a: i32) (b: i32) (c: i32) : i32 =
  let (x, {y, z = (z, _)}) = (a, {y = b, z = (c, false)})
  in x + y + z
