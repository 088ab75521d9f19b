"""The table of promises, one module a group of them."""
