"""What a model is told: layers L0 to L3 for each role, the history of a task, and the budgets of both.

Pure: values in, messages out. Nothing here asks a model, a store or a page; the only files read are our own templates.
"""
