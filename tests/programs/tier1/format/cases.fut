-- Test comments: names, tags, a prose line in a block's head, cases over several lines, cases without a result.
--
-- Text above the marker is not part of the test.
-- ==
-- tags { arithmetic small }
-- "both positive" input { 2 3 } output { 5 6 }
-- "one negative" nobench input { -2 3 }
-- output { 1
--          -6 }
-- "must only succeed" input { 0 0 }
-- notest input { 1 1 } output { 0 0 }
-- no_opencl no_c input { 10 10 } output { 20 100 }

-- ==
-- entry: product_only quotient_only
-- input { 6 1 } output { 6 }

-- ==
-- entry: quotient_only
-- "wrong place" input { 6 0 }
-- error: division by zero
-- "any error" input { 7 0 }
-- error:

def main (x: i32) (y: i32) : (i32, i32) = (x + y, x * y)
entry product_only (x: i32) (y: i32) : i32 = x * y
entry quotient_only (x: i32) (y: i32) : i32 = x / y
