"""Compilation of IMP to OpenCL C or C, with a plan for the host, and execution of both.

opencl           IMP -> Compiled: OpenCL C and a host plan
c                IMP -> CProgram: C with OpenMP; c_host prints the plan's steps
  split            divides statements between host, kernels and tasks
  device_c         prints a kernel's statements as C; unit: what the kernels of an entry point share
  items            an iteration as a function; weights: how long one takes
  preludes         the beginnings of texts: c_prelude.h, float_math.h, double_math.h, c_runtime.h, …
  exprs, conditions_c, scalars_cl, comments    parts of that text
  unroll, scatter  loops and stores that are printed in a special way
  liveness         where buffers are freed
cl_host          a device's host in C: kernels and the plan's steps in one C program
plan             the host plan as data; plan_json: as text; plan_tree: queries
runtime          Executable: a plan on an OpenCL device
  device, program  choice of the device; build of its kernels (cache, toolchain, processor)
  host_code        the plan's steps as Python statements; device_call: the function around them
  commands         the commands that they give to the device
  buffers          device memory
c_main           an executable around a CProgram; c_data.h reads and prints values
c_library        a CProgram, built and called; c_call: the function that calls it
fast_call        the function that accepts arguments; generated: where such functions are defined
host             expressions, conditions and traps of the host
artifact, c_artifact    compiled programs as files
memory_plan      blocks, their lifetimes and the peak, as formulas and numbers, without a device
demand           the memory that a call needs, computed before the call
files, folders   how all files are written, and where they are kept
"""
