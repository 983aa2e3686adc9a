entry main (h : i64) (w : i64) (limit : i32) -> (image : [h][w]i32) =
  let (pixels : [h][w]i32) =
    kernel y < h, x < w do
      let (cr : f32) = f32(x) * 3.0f32 / f32(w) - 2.0f32
      let (ci : f32) = f32(y) * 2.0f32 / f32(h) - 1.0f32
      let (go0 : bool) = 0i32 < limit
      let (zr1 : f32) (zi1 : f32) (count1 : i32) (go1 : bool) =
        loop (zr : f32) = 0.0f32, (zi : f32) = 0.0f32, (count : i32) = 0i32, (go : bool) = go0
            while go do
          let (zr2 : f32) = zr * zr - zi * zi + cr
          let (zi2 : f32) = 2.0f32 * zr * zi + ci
          let (count2 : i32) = count + 1i32
          let (go2 : bool) = zr2 * zr2 + zi2 * zi2 <= 4.0f32 && count2 < limit
          in (zr2, zi2, count2, go2)
      in (count1)
  in (pixels)
