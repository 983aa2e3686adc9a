-- `r with f = e` and `r with f.g = e` give a changed copy; the old record keeps its value.
-- ==
-- input { 1 2 } output { 1 2 9 2 }

type point = {x: i32, y: i32}
type body = {at: point, velocity: point, mass: f32}

def main (x: i32) (y: i32) : (i32, i32, i32, i32) =
  let p = {x, y}
  let q = p with x = 9
  in (p.x, p.y, q.x, q.y)

-- ==
-- entry: nested
-- input { 3 } output { 3 -1 10 20 }

entry nested (x: i32) : (i32, i32, i32, i32) =
  let b: body = {at = {x = 0, y = 0}, velocity = {x = 10, y = 20}, mass = 1}
  let b = b with at.x = x
  let b = b with at.y = b.at.x - 4
  in (b.at.x, b.at.y, b.velocity.x, b.velocity.y)

-- ==
-- entry: chained
-- input { 5 } output { 5 6 }

entry chained (a: i32) : (i32, i32) =
  let p = {x = 0, y = 0} with x = a with y = a + 1
  in (p.x, p.y)

-- ==
-- entry: whole_inner_record
-- input { 1 2 } output { 2 1 2.5f32 }

entry whole_inner_record (x: i32) (y: i32) : (i32, i32, f32) =
  let b: body = {at = {x, y}, velocity = {x = 0, y = 0}, mass = 2.5}
  let b = b with at = {x = b.at.y, y = b.at.x}
  in (b.at.x, b.at.y, b.mass)

-- ==
-- entry: step
-- input { 0 } output { 0 0 }
-- input { 4 } output { 8 -4 }

def advance (b: body) : body =
  let b = b with at.x = b.at.x + b.velocity.x
  in b with at.y = b.at.y + b.velocity.y

entry step (n: i32) : (i32, i32) =
  let start: body = {at = {x = 0, y = 0}, velocity = {x = 2, y = -1}, mass = 0}
  let end = iterate n advance start
  in (end.at.x, end.at.y)
