"""openai-agents (Python): RealtimeRunner with a URL of its own."""

from agents import function_tool
from agents.realtime import RealtimeAgent, RealtimeRunner

from common import *

called = []


@function_tool
def get_weather(city: str) -> str:
    """The weather of a city."""
    called.append(city)
    return "21 degrees"


async def connect():
    agent = RealtimeAgent(name="Ada", instructions="Say PINEAPPLE.", tools=[get_weather])
    config = {"api_key": TOKEN, "url": f"{WS}/v1/realtime?model={AVATAR}"}
    return await RealtimeRunner(agent).run(model_config=config)


async def main():
    events = []

    async def read(session):
        async for event in session:
            events.append(event)

    def seen(kind, after):
        return next((one for one in events[after:] if one.type == kind), None)

    def said(role):
        items = [one for one in session._history if one.type == "message" and one.role == role]
        texts = [getattr(part, "transcript", None) or getattr(part, "text", None) for one in items for part in one.content]
        return [text for text in texts if text]

    session = await connect()
    async with session:
        reading = asyncio.create_task(read(session))
        await asyncio.sleep(1)
        step("connect", not seen("error", 0), seen("error", 0))

        async def typed(text):
            after = len(events)
            await session.send_message(text)
            return await until(lambda: seen("agent_end", after))

        await typed("Hello there")
        step("typed turn", "PINEAPPLE" in str(said("assistant")), said("assistant"))

        microphone = Microphone(session.send_audio)
        after = len(events)
        microphone.say("moon")
        step("spoken turn", await until(lambda: seen("agent_end", after)))
        step("transcript", await until(lambda: "moon" in str(said("user")).lower(), 3), said("user"))

        after = len(events)
        await session.send_message("Say something long")
        await until(lambda: seen("audio", after))
        microphone.say("stop")
        step("interruption", await until(lambda: seen("audio_interrupted", after)))
        ends = lambda: [one for one in events[after:] if one.type == "agent_end"]
        # The first end is that of the interrupted answer. What is understood of the words may vary.
        answer = await until(lambda: len(ends()) >= 2 and said("assistant")[-1:])
        step("answer to it", "PINEAPPLE" in str(answer), [said("user")[-1:], answer])
        microphone.stop()

        after = len(events)
        await session.send_message("What is the weather in Paris?")
        answered = await until(lambda: "21 degrees" in str(said("assistant")))
        step("tool", called == ["Paris"] and answered, said("assistant")[-1:])
        step("history", len(said("user")) >= 4 and len(said("assistant")) >= 4, session._history)
        errors = [str(one.error) for one in events if one.type == "error"]
        step("types of events", not errors, errors[:1])
        reading.cancel()
    session = await connect()
    async with session:
        reading = asyncio.create_task(read(session))
        after = len(events)
        await session.send_message("Hello there")
        step("reconnect", await until(lambda: seen("agent_end", after)))


run(main)
