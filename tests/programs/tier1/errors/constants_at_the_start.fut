-- What a definition computes is computed at the start, also where the entry point does not need it.
-- ==
-- entry: untaken
-- input { false } error: division
-- input { true } error: division

def ratio : i64 = 10 / 0
entry untaken (b: bool) : i64 = if b then ratio else 1

-- ==
-- entry: mapped
-- input { empty([0]i64) } error: division
-- input { [1i64] } error: division

def scale : i64 -> i64 = let t = 10 / 0i64 in \(x: i64) -> x + t
entry mapped (xs: []i64) : []i64 = map scale xs
