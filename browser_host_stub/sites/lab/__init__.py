"""A gallery of component libraries: one page per library, every widget with a state that the server holds."""
