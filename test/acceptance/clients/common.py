"""What the programs of this directory share. Each talks with the service as its framework does, and prints each step as JSON."""

import asyncio, json, os, time, traceback

BASE, TOKEN, AVATAR = (os.environ[name] for name in ("BASE", "TOKEN", "AVATAR"))
WS = BASE.replace("http", "ws", 1)
RATE = 24_000
LATEST = 30


def step(name, ok, detail=""):
    print(json.dumps({"step": name, "ok": bool(ok), "detail": str(detail)[:400]}), flush=True)


def sound(name):
    """Speech of 16-bit samples at 24 kHz."""
    with open(os.path.join(os.environ["SOUNDS"], name + ".pcm"), "rb") as file:
        return file.read()


def silence(seconds):
    return bytes(int(RATE * seconds) * 2)


async def paced(data, send):
    """Sends audio as a microphone does."""
    size, start = RATE // 50 * 2, time.monotonic()
    for n, at in enumerate(range(0, len(data), size)):
        await send(data[at : at + size].ljust(size, b"\0"))
        await asyncio.sleep(max(0, start + (n + 1) / 50 - time.monotonic()))


class Microphone:
    """Never stops: silence unless something is said."""

    def __init__(self, send):
        self.send, self.queue = send, b""
        self.task = asyncio.create_task(self.run())

    async def run(self):
        while True:
            piece, self.queue = self.queue or silence(0.1), b""
            await paced(piece, self.send)

    def say(self, name):
        self.queue += sound(name)

    def stop(self):
        self.task.cancel()


async def until(found, seconds=LATEST):
    """What `found` returns as soon as it is something, or None."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if result := found():
            return result
        await asyncio.sleep(0.02)
    return None


def run(main):
    async def limited():
        try:
            await asyncio.wait_for(main(), 110)
        except BaseException as error:
            traceback.print_exc()
            step("all steps", False, repr(error))

    asyncio.run(limited())
    os._exit(0)
