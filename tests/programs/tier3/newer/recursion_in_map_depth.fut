-- Each index of a map has a stack; depths at and beyond every capacity. Futhark 0.25 rejects recursion.
-- ==
-- input { [0i64, 1i64, 31i64, 32i64, 33i64, 63i64, 64i64, 65i64, 200i64, 1000i64] } output { [0i64, 1i64, 496i64, 528i64, 561i64, 2016i64, 2080i64, 2145i64, 20100i64, 500500i64] }
-- input { empty([0]i64) } output { empty([0]i64) }
def sum (n: i64) : i64 = if n <= 0 then 0 else n + sum (n - 1)

entry main [k] (ns: [k]i64) : [k]i64 = map sum ns
