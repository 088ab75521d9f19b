"""From the words of a person to typed inputs, without a model.

`dates`, `numbers` and `spans` find what a text says, `fields` reads what a skill asks for, `values` brings them
together, `frame` says whether the sentence asks for anything to be done at all. Pure; "today" is always an argument.
"""
