"""The back end: from IMP to OpenCL C and a host plan."""
