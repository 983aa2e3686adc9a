-- `>>` brings in zeros for unsigned numbers as a member, too (`u8.>>` of Futhark 0.25 copies the top bit; its `>>` does not).
-- ==
-- entry: main
-- input { 200u8 3u8 } output { 25u8 25u8 6400u16 419430400u32 1801439850948198400u64 }
-- input { 255u8 7u8 } output { 1u8 1u8 510u16 33423360u32 143552238122434560u64 }
-- input { 1u8 0u8 } output { 1u8 1u8 256u16 16777216u32 72057594037927936u64 }

entry main (x: u8) (k: u8) =
  ( x >> k, x u8.>> k, (u16.u8 x << 8) u16.>> u16.u8 k, (u32.u8 x << 24) u32.>> u32.u8 k
  , (u64.u8 x << 56) u64.>> u64.u8 k )

-- ==
-- entry: zeros
-- input { -1i8 4i8 } output { 15i8 -1i8 }
-- input { 100i8 2i8 } output { 25i8 25i8 }

entry zeros (x: i8) (k: i8) = (x >>> k, x >> k)
