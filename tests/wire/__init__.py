"""Golden transcripts of the wire: whole sessions byte for byte, and both real ends replaying them."""
