"""The rules and the measuring, without camera, page, file or clock."""
