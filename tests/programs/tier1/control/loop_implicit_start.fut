-- `loop x for …` starts from the variables of the same name.
-- ==
-- entry: double
-- input { 3 4 } output { 48 }
-- input { 3 0 } output { 3 }

-- ==
-- entry: two
-- input { 10 4 } output { 6 8 }

-- ==
-- entry: grow
-- input { [1, 2] 3 } output { [1, 2, 0, 1, 2] }
-- input { empty([0]i32) 1 } output { [0] }

entry double (x: i32) (n: i32) = loop x for _i < n do x * 2
entry two (x: i32) (y: i32) = loop (x, y) while x > y - 2 do (x - 2, y + 2)
entry grow (xs: []i32) (n: i32) = loop xs = xs for i < n do xs ++ [i]
