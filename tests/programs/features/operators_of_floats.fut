-- Every operator of f16, f32 and f64 as a member of its module.
-- ==
-- entry: f16s
-- input { 2.5f16 2.0f16 }
-- output { [4.5f16, 0.5f16, 5.0f16, 1.25f16, 0.5f16, 6.25f16]
--          [false, true, false, false, true, true] }
-- input { -7.0f16 3.0f16 }
-- output { [-4.0f16, -10.0f16, -21.0f16, -2.334f16, -1.0f16, -343.0f16]
--          [false, true, true, true, false, false] }
-- input { 0.0f16 -0.5f16 }
-- output { [-0.5f16, 0.5f16, -0.0f16, -0.0f16, 0.0f16, f16.inf]
--          [false, true, false, false, true, true] }
-- input { f16.inf 1.0f16 }
-- output { [f16.inf, f16.inf, f16.inf, f16.inf, f16.nan, f16.inf]
--          [false, true, false, false, true, true] }

-- ==
-- entry: f32s
-- input { 2.5f32 2.0f32 }
-- output { [4.5f32, 0.5f32, 5.0f32, 1.25f32, 0.5f32, 6.25f32]
--          [false, true, false, false, true, true] }
-- input { -7.0f32 3.0f32 }
-- output { [-4.0f32, -10.0f32, -21.0f32, -2.3333333f32, -1.0f32, -343.0f32]
--          [false, true, true, true, false, false] }
-- input { 0.0f32 -0.5f32 }
-- output { [-0.5f32, 0.5f32, -0.0f32, -0.0f32, 0.0f32, f32.inf]
--          [false, true, false, false, true, true] }
-- input { f32.inf 1.0f32 }
-- output { [f32.inf, f32.inf, f32.inf, f32.inf, f32.nan, f32.inf]
--          [false, true, false, false, true, true] }

-- ==
-- entry: f64s
-- input { 2.5f64 2.0f64 }
-- output { [4.5f64, 0.5f64, 5.0f64, 1.25f64, 0.5f64, 6.25f64]
--          [false, true, false, false, true, true] }
-- input { -7.0f64 3.0f64 }
-- output { [-4.0f64, -10.0f64, -21.0f64, -2.3333333333333335f64, -1.0f64, -343.0f64]
--          [false, true, true, true, false, false] }
-- input { 0.0f64 -0.5f64 }
-- output { [-0.5f64, 0.5f64, -0.0f64, -0.0f64, 0.0f64, f64.inf]
--          [false, true, false, false, true, true] }
-- input { f64.inf 1.0f64 }
-- output { [f64.inf, f64.inf, f64.inf, f64.inf, f64.nan, f64.inf]
--          [false, true, false, false, true, true] }

entry f16s (x: f16) (y: f16) =
  ( [x f16.+ y, x f16.- y, x f16.* y, x f16./ y, x f16.% y, (f16.**) x y]
  , [x f16.== y, x f16.!= y, x f16.< y, x f16.<= y, x f16.> y, x f16.>= y] )

entry f32s (x: f32) (y: f32) =
  ( [x f32.+ y, x f32.- y, x f32.* y, x f32./ y, x f32.% y, (f32.**) x y]
  , [x f32.== y, x f32.!= y, x f32.< y, x f32.<= y, x f32.> y, x f32.>= y] )

entry f64s (x: f64) (y: f64) =
  ( [x f64.+ y, x f64.- y, x f64.* y, x f64./ y, x f64.% y, (f64.**) x y]
  , [x f64.== y, x f64.!= y, x f64.< y, x f64.<= y, x f64.> y, x f64.>= y] )
