"""Campaigns: differential testing of many generated programs, on processes or Dask workers."""
