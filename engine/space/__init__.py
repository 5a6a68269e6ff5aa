"""Poses, footprints and regions; pieces and their models; what stands where and how surely."""
