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
        self.send, self.queue, self.sent = send, b"", 0
        self.task = asyncio.create_task(self.run())

    async def run(self):
        while True:
            piece, self.queue = self.queue or silence(0.1), b""
            await paced(piece, self.send)
            self.sent += 1

    def say(self, name):
        self.queue += sound(name)

    async def said(self, name):
        """When it has been said: silence, then it."""
        self.say(name)
        after = self.sent + 2
        await until(lambda: self.sent >= after)
        return time.monotonic()

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


async def spoken_turns(push, sounds):
    """Says each of TURNS once the answer to the one before has been played, and what follows a long answer over it.
    `sounds`: when sound of the avatar came."""
    microphone, firsts = Microphone(push), []
    for name in os.environ["TURNS"].split(","):
        end = await microphone.said(name)
        first = await until(lambda: next((at for at in sounds if at > end), None))
        firsts.append(first and round((first - end) * 1000))
        played = lambda: sounds and time.monotonic() - sounds[-1] > 2
        await asyncio.sleep(1) if name == "long" else await until(played)
    microphone.stop()
    print(json.dumps({"firsts": firsts}), flush=True)


def run(main, seconds=110):
    async def limited():
        try:
            await asyncio.wait_for(main(), seconds)
        except BaseException as error:
            traceback.print_exc()
            step("all steps", False, repr(error))

    asyncio.run(limited())
    os._exit(0)
