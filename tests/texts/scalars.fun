-- Constants, operators, precedence.
entry constants -> =
  let (t : bool) = true
  let (f : bool) = false
  let (a : i8) = -128i8
  let (b : i16) = 32767i16
  let (c : i32) = - 2147483648i32
  let (d : i64) = -9223372036854775808
  let (d1 : i64) = 0007
  let (e : u8) = 255u8
  let (g : u16) = 65535u16
  let (h : u32) = 4294967295u32
  let (i : u64) = 18446744073709551615u64
  let (j : f16) = 65504.0f16
  let (k : f32) = 0.1f32
  let (k1 : f32) = 3f32
  let (k2 : f32) = 1e-45f32
  let (l : f64) = 0.1
  let (l1 : f64) = 1e300
  let (l2 : f64) = 5.
  let (l3 : f64) = 5e-324
  let (l4 : f64) = 123456789.123456789
  let (m : f64) = -0.0
  let (n : f16) = f16.nan
  let (o : f32) = -f32.inf
  let (p : f64) = f64.inf
  let (q : i64) = 5i64
  in ()

entry operators (x : i64) (y : i64) (z : i64) -> =
  let (r : i64) = ((x + y)) - z * x / y % z // x %% y
  let (r : i64) = (x + y) * (z - x)
  let (r : i64) = x - (y - z)
  let (r : i64) = x - y - z
  let (r : i64) = x ** y ** z
  let (r : i64) = (x ** y) ** z
  let (r : i64) = x << y >> z & x | y ^ z
  let (r : i64) = x << (y >> z) & (x | y) ^ z
  let (r : bool) = x == y && y != z || x < y && !(x <= y) || x > y && x >= y
  let (r : bool) = (x == y) == (y == z)
  let (r : bool) = x < -3 && x<-3 && x - 3 < 0
  let (r : i64) = -x
  let (r : i64) = - -x
  let (r : i64) = - - -x
  let (r : i64) = -(-3)
  let (r : i64) = -(3)
  let (r : i64) = -~-3
  let (r : i64) = ~x + -3 ** -x ** ~3
  let (r : i64) = (-x) ** 2
  let (r : i64) = -(x ** 2)
  let (r : i64) = -(x + 2)
  let (r : i64) = x - -3
  let (r : i64) = x - -y
  let (r : bool) = !t
  let (r : bool) = !!t
  let (r : bool) = -true
  let (r : f32) = -(f32.nan)
  let (r : i64) = min(x, max(y, z)) + mulhi(x - 1, -y)
  let (r : f64) = atan2(u, v) + hypot(u, v)
  let (r : f64) = abs(sgn(sqrt(exp(log(log2(log10(u)))))))
  let (r : f64) = sin(cos(tan(asin(acos(atan(sinh(cosh(tanh(u)))))))))
  let (r : f64) = erf(floor(ceil(trunc(round(u)))))
  let (r : bool) = isnan(u) || isinf(u)
  let (r : f64) = cbrt(expm1(log1p(asinh(acosh(atanh(erfc(gamma(lgamma(u)))))))))
  let (r : f64) = copysign(u, v) %% nextafter(u, v)
  let (r : f64) = from_bits(to_bits(u) + to_bits(v))
  let (r : i32) = popcount(x) + clz(x) + ctz(x)
  let (r : f64) = f64(f32(f16(bool(i8(i16(i32(i64(u8(u16(u32(u64(x))))))))))))
  let (min : i64) = min + max * x'
  let (done : [n]i64) = copy var
  in ()

entry sizes -> =
  let (r : [0]i64) = r
  let (r : [n - n]i64) = r
  let (r : [m*n + n*m - 1]i64) = r
  let (r : [(a + b)*(a - b)]i64) = r
  let (r : [- -a - -b * -1]i64) = r
  let (r : [12345678901234567890123]i64) = r
  let (r : [-4*a*a*b + 3*a]i64) = r[2*(i + 1) : -(j - 1) : -2*-k]
  in ()
