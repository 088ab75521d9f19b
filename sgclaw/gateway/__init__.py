"""From an instruction to a finished task: the queue, the life cycle, the router, evidence and the report.

The gateway knows no concrete browser, ledger or sandbox: it is given ports, wired in `app/`.
"""
