-- A module over any integer type: bits and wrap-around.
-- ==
-- input { 255u8 2147483647 } output { 0i32 0u8 15u8 -2147483648i32 255i32 }
-- input { 18u8 -1 } output { 0i32 19u8 2u8 0i32 255i32 }

module bits (I: integral) = {
  def parity (x: I.t) : i32 = I.popc x % 2
  def next (x: I.t) : I.t = I.(x + i64 1)
  def low (k: I.t) (x: I.t) : I.t = I.(x & ((i64 1 << k) - i64 1))
}
module b8 = bits u8
module b32 = bits i32
def main (x: u8) (y: i32) : (i32, u8, u8, i32, i32) =
  (b8.parity x, b8.next x, b8.low 4 x, b32.next y, b32.low 8 y)
