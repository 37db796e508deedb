"""strands-agents: a BidiAgent with OpenAIRealtimeModel, whose address is the one thing that it takes from no configuration."""

import logging

from strands import tool
from strands.bidi import BidiAgent
from strands.bidi.models.openai import realtime

from common import *

realtime.OPENAI_REALTIME_URL = f"{WS}/v1/realtime"
called, errors = [], []


@tool
def get_weather(city: str) -> str:
    """The weather of a city."""
    called.append(city)
    return "21 degrees"


class Errors(logging.Handler):
    """What the framework reports of the service is only logged."""

    def emit(self, record):
        errors.append(record.getMessage())


class Talk:
    async def connect(self, **settings):
        model = realtime.OpenAIRealtimeModel(
            model_id=AVATAR, api_key=TOKEN, transcription_model_id="gpt-4o-mini-transcribe", **settings
        )
        self.agent, self.events = BidiAgent(model, [get_weather], "Say PINEAPPLE."), []
        await self.agent.start()
        self.reading = asyncio.create_task(self.read())
        return self

    async def read(self):
        async for event in self.agent.receive():
            self.events.append(event)

    async def push(self, piece):
        await self.agent.send({"audio_delta": {"format": "pcm", "source": {"bytes": piece}}})

    async def next(self, kind, after=0):
        return await until(lambda: next((one for one in self.events[after:] if one.get("type") == kind), None))

    async def typed(self, text):
        after = len(self.events)
        await self.agent.send(text)
        return await self.next("bidi_response_stop", after)

    def said(self, role, after=0):
        blocks = [one for one in self.events[after:] if one.get("type") == "bidi_transcript_block"]
        return [one["transcript"] for one in blocks if one["role"] == role]


async def main():
    logging.getLogger("strands").addHandler(Errors(level=logging.ERROR))
    talk = await Talk().connect()
    await asyncio.sleep(0.5)
    step("connect", not errors and not talk.reading.done(), errors)
    answered = await talk.typed("Hello there")
    step("typed turn", answered and "PINEAPPLE" in str(talk.said("assistant")), talk.said("assistant"))

    microphone = Microphone(talk.push)
    after = len(talk.events)
    microphone.say("moon")
    step("spoken turn", await talk.next("bidi_response_stop", after) and talk.said("assistant", after))
    step("transcript", await until(lambda: "moon" in str(talk.said("user")).lower(), 3), talk.said("user"))

    after = len(talk.events)
    await talk.agent.send("Say something long")
    await talk.next("bidi_audio_delta", after)
    microphone.say("stop")
    step("interruption", await talk.next("bidi_barge_in", after))
    await talk.next("bidi_response_stop", after)
    after = len(talk.events)
    step("answer to it", await talk.next("bidi_response_stop", after) and talk.said("assistant", after))
    await asyncio.sleep(0.5)
    microphone.stop()

    await talk.typed("What is the weather in Paris?")
    answered = await until(lambda: "21 degrees" in str(talk.said("assistant")))
    step("tool", answered and called == ["Paris"], [talk.said("assistant")[-2:], called])
    roles = [one["role"] for one in talk.agent.messages]
    step("history", roles.count("user") >= 4 and roles.count("assistant") >= 4, roles)
    step("types of events", not errors and not talk.reading.done(), errors[:2] or talk.reading)
    await talk.agent.stop()

    # The framework replaces its connection, and tells the new one what was said.
    other = await Talk().connect(timeout_s=3)
    await other.typed("Hello there")
    restarted = await other.next("bidi_connection_restart")
    await asyncio.sleep(0.5)
    after = len(other.events)
    answered = await other.typed("Hello again")
    heard = other.said("assistant", after)
    step("reconnect", restarted and answered and len(heard) == 1 and not errors, [heard, errors])
    await other.agent.stop()


run(main)
