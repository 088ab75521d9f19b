"""The demo personnel system: social insurance declarations, salary checks and employees."""
