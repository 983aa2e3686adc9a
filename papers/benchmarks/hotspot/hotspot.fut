-- The temperature of a chip: steps of a five-point stencil.
-- ==
-- input { 1 [[80f32, 90f32]] [[0f32, 2f32]] } output { [[81.5f32, 89.4f32]] }
-- input { 0 [[20f32]] [[1f32]] } output { [[20f32]] }

module hotspot = import "../../applications/hotspot/hotspot"

entry main [n] [m] (steps: i32) (t: [n][m]f32) (power: [n][m]f32) : [n][m]f32 =
  hotspot.simulate hotspot.chip steps power t
