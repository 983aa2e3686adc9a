-- Names that nothing uses: parameters, variables, loops, local functions; not those with `_`.
-- ==
-- input { 1 2 } output { 3 }
-- warning: Unused name "unused"
-- warning: Unused name "j"
-- warning: name "helper"

def main (x: i32) (_y: i32) : i32 =
  let (unused, used) = (x, 2)
  let helper z = z + used
  let _ignored = 4i32
  in loop acc = x for j < 1 do acc + used
