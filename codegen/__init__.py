"""IMP to OpenCL C and a host plan, and running them.

opencl         IMP -> Compiled: OpenCL C and a plan  split: which statements run where
device_c     a kernel's statements as C          exprs, comments, scalars_cl: its parts
unroll, scatter  which loops and stores are printed in a special way
liveness     where buffers are freed
plan           what the host does, as data         plan_json: as text
runtime        Executable: a plan on a device
device       which device                        program: its build, cache, toolchain, processor
host         the plan's steps as closures        buffers: device memory
memory_plan  what a plan holds, when, how much: formulas and numbers, without a device
artifact       a compiled program as files
c              IMP -> CProgram: C with OpenMP      c_host: the plan's steps as C, c_prelude.h
c_library      a CProgram built and called         c_artifact: as files
files        how files are written, by everybody   folders: where they are kept
"""
