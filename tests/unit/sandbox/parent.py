"""A small parent: runs a script that does not end, prints the pids of its workers, and stays until it is killed."""

import asyncio
import sys

from tests.unit.sandbox.support import bench, until

UP = "console.log('up'); await new Promise((go) => setTimeout(go, 1)); "
BODIES = {
    "loops": UP + "for (;;) {}",
    "waits": UP + "for (;;) await new Promise((resolve) => setTimeout(resolve, 20000));",
    "stuck_in_native_code": UP + "new Array(2 ** 32 - 1).join('');",
}


async def main(kind: str) -> None:
    async with bench() as made:
        made.pool.warm()
        run = asyncio.create_task(made.run(BODIES[kind]))
        await until(lambda: bool(made.log.named("console")) and len(made.started) == 2)
        sys.stdout.write(" ".join(str(worker.pid) for worker in made.started) + "\n")
        sys.stdout.flush()
        await run


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
