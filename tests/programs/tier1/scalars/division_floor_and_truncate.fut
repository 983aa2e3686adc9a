-- `/` and `%` round towards minus infinity, `//` and `%%` towards zero.
-- ==
-- entry: div32
-- input { 7 2 } output { 3 1 3 1 }
-- input { -7 2 } output { -4 1 -3 -1 }
-- input { 7 -2 } output { -4 -1 -3 1 }
-- input { -7 -2 } output { 3 -1 3 -1 }
-- input { -8 2 } output { -4 0 -4 0 }
-- input { 0 -5 } output { 0 0 0 0 }
-- input { -1 10 } output { -1 9 0 -1 }
-- input { -2147483648 3 } output { -715827883 1 -715827882 -2 }

-- ==
-- entry: div8
-- input { -128i8 7i8 } output { -19i8 5i8 -18i8 -2i8 }
-- input { 127i8 -128i8 } output { -1i8 -1i8 0i8 127i8 }

-- ==
-- entry: div64
-- input { -9223372036854775808i64 10i64 }
-- output { -922337203685477581i64 2i64 -922337203685477580i64 -8i64 }

-- ==
-- entry: laws
-- input { [17, -17, 17, -17, 0, 1, -1] [5, 5, -5, -5, 3, -1, 2147483647] } output { true }

def both (x: i32) (y: i32) = (x / y, x % y, x // y, x %% y)
entry div32 (x: i32) (y: i32) = both x y
entry div8 (x: i8) (y: i8) = (x / y, x % y, x // y, x %% y)
entry div64 (x: i64) (y: i64) = (x / y, x % y, x // y, x %% y)

entry laws [n] (xs: [n]i32) (ys: [n]i32) =
  and (map2 (\x y ->
               let (fd, fm, td, tm) = both x y
               in fd * y + fm == x && td * y + tm == x
                  && (fm == 0 || (fm < 0) == (y < 0))
                  && (tm == 0 || (tm < 0) == (x < 0)))
            xs ys)
