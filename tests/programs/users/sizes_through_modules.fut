-- Entry points that are polymorphic in sizes, by way of a module.
-- ==
-- entry: square
-- input { [[1, 2], [3, 4]] } output { [[7i32, 10i32], [15i32, 22i32]] }
-- input { empty([0][0]i32) } output { empty([0][0]i32) }

-- ==
-- entry: gram
-- input { [[1, 2, 3]] } output { [[14i32]] 14i32 }

module mat (T: numeric) = {
  def mul [n] [m] [p] (a: [n][m]T.t) (b: [m][p]T.t) : [n][p]T.t =
    map (\r -> map (\c -> T.sum (map2 (T.*) r c)) (transpose b)) a
  def trace [n] (a: [n][n]T.t) : T.t = T.sum (map (\i -> a[i, i]) (iota n))
}
module mi = mat i32
entry square [n] (a: [n][n]i32) : [n][n]i32 = mi.mul a a
entry gram [n] [m] (a: [n][m]i32) : ([n][n]i32, i32) =
  let g = mi.mul a (transpose a) in (g, mi.trace g)
