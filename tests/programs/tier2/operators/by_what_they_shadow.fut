-- An operator on another type, defined by the operator whose name it takes: no recursion.
-- ==
-- input { [1, 2] [10, 20] } output { [2, 4] 132 }
-- input { empty([0]i32) empty([0]i32) } output { empty([0]i32) 0 }

type pair = {x: i32, y: i32}

def (+) (a: pair) (b: pair) = {x = a.x + b.x, y = a.y + b.y}

module complex = {
  def (*) (k: i32) (a: pair) : pair = {x = k * a.x, y = k * a.y}
  def twice (a: pair) = 2 * a
}

def main [n] (xs: [n]i32) (ys: [n]i32) =
  let ps = map2 (\x y -> {x, y} + {x, y}) xs ys
  let all = reduce (+) {x = 0, y = 0} (map complex.twice ps)
  in (map (.x) ps, all.x i32.+ all.y)
