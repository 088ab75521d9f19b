"""The command line: one thin module for each command. Import nothing here: `pipe` must start without the CLI
toolkit.
"""
