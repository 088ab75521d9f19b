"""The other ends of the round trip: programs started as child processes."""
