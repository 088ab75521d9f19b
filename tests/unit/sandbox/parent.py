"""A small parent: starts a script that loops, or one that waits, prints the worker's pid, and stays until it is killed."""

import asyncio
import sys

from tests.unit.sandbox.support import QUICK, bench

BODIES = {
    "loops": "console.log('up'); await new Promise((go) => setTimeout(go, 1)); for (;;) {}",
    "waits": "console.log('up'); for (;;) await new Promise((resolve) => setTimeout(resolve, 20000));",
    "stuck_in_native_code": "console.log('up'); await new Promise((go) => setTimeout(go, 1)); new Array(2 ** 32 - 1).join('');",
}


async def main(kind: str) -> None:
    async with bench() as made:
        made.pool.warm()
        run = asyncio.create_task(made.run(BODIES[kind], budgets=QUICK))
        while not made.log.named("console") or len(made.started) < 2:
            await asyncio.sleep(0.01)
        sys.stdout.write(" ".join(str(worker.pid) for worker in made.started) + "\n")
        sys.stdout.flush()
        await run


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
