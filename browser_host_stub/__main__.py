"""`python -m browser_host_stub run | demo | serve | host`: a browser to try sgClaw with.

Loading what a browser needs takes a second. Ctrl-C in it must end like Ctrl-C later: it waits until an end can be told,
and the rest loads inside a `try`.
"""

import os
import signal
import sys

if __name__ == "__main__":
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    from browser_host_stub.ends import stopped, wants_json

    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        from browser_host_stub.entry import main
    except KeyboardInterrupt:
        # When it comes inside an `eval` of a library, Python ends by SIGINT whatever code `sys.exit` is given.
        os._exit(stopped(as_json=wants_json(sys.argv[1:])))
    sys.exit(main())
