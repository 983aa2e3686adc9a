-- Records and tuples hold functions; projecting one and applying it calls it.
-- ==
-- input { 3 4 } output { 7 12 }

def usual: {plus: i32 -> i32 -> i32, times: i32 -> i32 -> i32} = {plus = (+), times = (*)}

def main (a: i32) (b: i32) : (i32, i32) = (usual.plus a b, usual.times a b)

-- ==
-- entry: monoids
-- input { [1, 2, 3, 4] } output { 10 24 4 }
-- input { empty([0]i32) } output { 0 1 -2147483648 }

def fold 'a [n] (m: {op: a -> a -> a, unit: a}) (xs: [n]a) : a = reduce m.op m.unit xs

entry monoids [n] (xs: [n]i32) : (i32, i32, i32) =
  ( fold {op = (+), unit = 0} xs
  , fold {op = (*), unit = 1} xs
  , fold {op = i32.max, unit = i32.lowest} xs
  )

-- ==
-- entry: product_monoid
-- input { [1, 2, 3, 4] } output { 10 4 }

def both 'a 'b (m: {op: a -> a -> a, unit: a}) (n: {op: b -> b -> b, unit: b}) =
  {op = \(x, y) (x', y') -> (m.op x x', n.op y y'), unit = (m.unit, n.unit)}

entry product_monoid [n] (xs: [n]i32) : (i32, i32) =
  fold (both {op = (+), unit = 0} {op = i32.max, unit = i32.lowest}) (zip xs xs)

-- ==
-- entry: updated_field
-- input { 5 } output { -4 }

entry updated_field (x: i32) : i32 =
  let table = {run = \y -> y + 1, sign = -1} with sign = 1
  let other = table with sign = -table.sign
  in other.sign * other.run (x - 2)

-- ==
-- entry: in_tuple
-- input { 2 } output { 4 20 }

entry in_tuple (x: i32) : (i32, i32) =
  let fs = (\y -> y * y : i32, {inner = \y -> y * 10 : i32})
  in (fs.0 x, fs.1.inner x)
