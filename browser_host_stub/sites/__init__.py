"""Demo web sites that stand in for the intranet systems a task works on."""
