"""Campaigns: many generated programs, on processes of this machine or elsewhere."""
