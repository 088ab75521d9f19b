"""What all demo sites share: sign-on, answers, checked input, libraries, and the knobs that make a site misbehave."""
