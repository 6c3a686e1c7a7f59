"""Reports, in forms that show one document."""
