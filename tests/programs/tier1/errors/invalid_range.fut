-- Ranges that cannot reach their end, or do not move, trap with the range as it was computed.
-- ==
-- entry: up
-- input { 2i64 2i64 } output { empty([0]i64) }
-- input { 2i64 1i64 } error: Range 2..<1 is invalid\.
-- input { 0i64 -5i64 } error: Range 0..<-5 is invalid\.

-- ==
-- entry: upto
-- input { 2i64 1i64 } error: Range 2...1 is invalid\.
-- input { 2i64 2i64 } output { [2i64] }

-- ==
-- entry: stepped
-- input { 0i64 2i64 5i64 } output { [0i64, 2i64, 4i64] }
-- input { 0i64 0i64 5i64 } error: Range 0\.\.0\.\.<5 is invalid\.
-- input { 0i64 -1i64 5i64 } error: Range 0\.\.-1\.\.<5 is invalid\.

-- ==
-- entry: down
-- input { 5i64 } output { [5i64, 4i64, 3i64, 2i64, 1i64] }
-- input { 0i64 } output { empty([0]i64) }
-- input { -1i64 } error: Range -1\.\.-2\.\.>0 is invalid\.

-- ==
-- entry: negative_iota
-- input { 0i64 } output { empty([0]i64) }
-- input { -2i64 } error: Range 0\.\.1\.\.<-2 is invalid\.

entry up (a: i64) (b: i64) = a..<b
entry upto (a: i64) (b: i64) = a...b
entry stepped (a: i64) (s: i64) (b: i64) = a..s..<b
entry down (n: i64) = n..n - 1..>0
entry negative_iota (n: i64) = iota n
