"""The tools a model sees, each a value; `table.py` puts them together."""
