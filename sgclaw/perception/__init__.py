"""How sgclaw reads a page: model, completeness, Chinese text, differences, numbered pictures.

Pure: values in, values out. Nothing here asks a host for anything, waits, or counts tokens with a library.
"""
