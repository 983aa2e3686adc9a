-- Arrays of sum values: mapped, indexed, updated, filtered, transposed and reduced.
-- ==
-- input { [3, -2, 0] } output { 3 -2 }
-- input { empty([0]i32) } output { 0 0 }

type split = #up i32 | #down i32 | #flat

def classify (x: i32) : split = if x > 0 then #up x else if x < 0 then #down x else #flat

def main [n] (xs: [n]i32) : (i32, i32) =
  let ss = map classify xs
  let up = map (\s -> match s case #up x -> x case _ -> 0) ss
  let down = map (\s -> match s case #down x -> x case _ -> 0) ss
  in (i32.sum up, i32.sum down)

-- ==
-- entry: indexed
-- input { [3, -2, 0] 0i64 } output { 3 }
-- input { [3, -2, 0] 1i64 } output { 2 }
-- input { [3, -2, 0] 2i64 } output { 0 }
-- input { [3, -2, 0] 3i64 } error: out of bounds

entry indexed [n] (xs: [n]i32) (i: i64) : i32 =
  let ss = map classify xs
  in match ss[i]
     case #up x -> x
     case #down x -> -x
     case #flat -> 0

-- ==
-- entry: updated
-- input { [3, -2, 0] } output { [3, 99, 0] }

entry updated [n] (xs: [n]i32) : [n]i32 =
  let ss = map classify xs
  let ss = ss with [1] = #up 99
  in map (\s -> match s case #up x -> x case #down x -> x case #flat -> 0) ss

-- ==
-- entry: filtered
-- input { [3, -2, 0, 4] } output { [3, 4] }
-- input { [-1] } output { empty([0]i32) }

entry filtered [n] (xs: [n]i32) : []i32 =
  map classify xs
  |> filter (\s -> match s case #up _ -> true case _ -> false)
  |> map (\s -> match s case #up x -> x case _ -> -1)

-- ==
-- entry: grid
-- input { [[1, -1], [0, 5]] } output { [[1, 0], [0, 5]] }
-- input { empty([0][2]i32) } output { empty([2][0]i32) }

entry grid [n] [m] (xss: [n][m]i32) : [m][n]i32 =
  transpose (map (map classify) xss)
  |> map (map (\s -> match s case #up x -> x case _ -> 0))
