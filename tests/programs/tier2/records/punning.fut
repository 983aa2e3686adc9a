-- A field given by a bare name takes the variable of that name, mixed freely with `name = value`.
-- ==
-- input { 2.0 5.0 } output { 10.0 }
-- input { 0.0 5.0 } output { 0.0 }
-- input { -1.5 4.0 } output { -6.0 }

type rectangle = {width: f64, height: f64}

def area ({width, height}: rectangle) : f64 = width * height

def main (w: f64) (height: f64) : f64 = area {height, width = w}

-- ==
-- entry: shadowed
-- input { 1 } output { 2 1 }

entry shadowed (x: i32) : (i32, i32) =
  let before = {x}
  let x = x + 1
  let after = {x}
  in (after.x, before.x)
