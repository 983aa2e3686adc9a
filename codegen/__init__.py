"""IMP to OpenCL C and a host plan, and running them.

opencl         IMP -> Compiled: which statements run where
device_c     a kernel's statements as C          exprs, comments, scalars_cl: its parts
liveness     where buffers are freed
plan           what the host does, as data         plan_json: as text
runtime        Executable: a plan on a device
device       which device                        program: its build, cache, toolchain, processor
host         the plan's steps as closures        buffers: device memory
artifact       a compiled program as files
"""
