"""How many tokens a text costs a model, offline: by a real tokenizer where there is one, else by a bound of our own."""
