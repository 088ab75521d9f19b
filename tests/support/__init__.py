"""What several test modules share: real parts wired together, and recording ends of ports."""
