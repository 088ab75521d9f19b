"""The adapter of the registry suite: its words in terms of our registry, our signer and our catalogue."""
