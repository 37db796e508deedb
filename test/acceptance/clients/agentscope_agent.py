"""agentscope: RealtimeAgent with OpenAIRealtimeModel, between a microphone and a loudspeaker of its own."""

import logging

from agentscope.agent import RealtimeAgent
from agentscope.credential import OpenAICredential
from agentscope.permission import PermissionBehavior, PermissionDecision
from agentscope.realtime import AudioFrame, OpenAIRealtimeModel, PlayoutPosition, RealtimeModelCard, TransportBase
from agentscope.tool import FunctionTool, Toolkit

from common import *

called, errors = [], []


def get_weather(city: str) -> str:
    """The weather of a city."""
    called.append(city)
    return "21 degrees"


class Errors(logging.Handler):
    """What the framework reports of the service is only logged."""

    def emit(self, record):
        errors.append(record.getMessage())


class Headset(TransportBase):
    input_sample_rate = output_sample_rate = RATE

    def __init__(self):
        self.frames, self.played, self.cleared = asyncio.Queue(), 0, 0
        self.item = ""

    async def start(self):
        pass

    async def close(self):
        self.frames.put_nowait(None)

    async def incoming(self):
        while frame := await self.frames.get():
            yield frame

    async def push(self, piece):
        self.frames.put_nowait(AudioFrame(pcm=piece))

    async def send_audio(self, pcm, item_id):
        self.item, self.played = item_id, self.played + len(pcm)

    async def clear_audio(self):
        self.cleared += 1
        return self.playout()

    def playout(self):
        return PlayoutPosition(item_id=self.item)


def open_agent():
    allowed = PermissionDecision(behavior=PermissionBehavior.ALLOW, message="")
    model = OpenAIRealtimeModel(
        AVATAR,
        OpenAICredential(api_key=TOKEN, base_url=BASE + "/v1"),
        model_card=RealtimeModelCard(
            name=AVATAR, label=AVATAR, input_sample_rate=RATE, output_sample_rate=RATE, supports_tools=True
        ),
    )
    return RealtimeAgent("Ada", "Say PINEAPPLE.", model, Toolkit([FunctionTool(get_weather, permission=allowed)]))


async def main():
    logger = logging.getLogger("as")
    logger.addHandler(Errors(level=logging.ERROR))
    agent, headset, events = open_agent(), Headset(), []
    await agent.connect()

    async def read():
        async for event in agent.reply_stream(headset):
            events.append(event)

    reading = asyncio.create_task(read())

    def said(role):
        return [one.get_text_content() or "" for one in agent.state.context if one.role == role]

    def ended(after):
        """The end of an answer, by its reason."""
        ends = [one for one in events[after:] if one.type == "REPLY_END" and one.reply_id in answers()]
        return ends[0].finished_reason if ends else None

    def answers():
        return [one.reply_id for one in events if one.type == "REPLY_START" and one.role == "assistant"]

    async def typed(text):
        after = len(events)
        await agent.send(text)
        return await until(lambda: ended(after))

    await asyncio.sleep(0.5)
    step("connect", not errors and not reading.done(), errors)
    await agent.model.request_response()
    step("greeting", await until(lambda: ended(0)) == "completed" and said("assistant") and headset.played, events[-3:])
    await typed("Hello there")
    step("typed turn", "PINEAPPLE" in str(said("assistant")), said("assistant"))

    microphone = Microphone(headset.push)
    after = len(events)
    microphone.say("moon")
    step("spoken turn", await until(lambda: ended(after)) == "completed", events[after:][-3:])
    step("transcript", await until(lambda: "moon" in str(said("user")).lower(), 3), said("user"))

    after, played = len(events), headset.played
    await agent.send("Say something long")
    await until(lambda: headset.played > played)
    microphone.say("stop")
    step("interruption", await until(lambda: ended(after)) == "interrupted" and headset.cleared, events[after:][-3:])
    after = len(events)
    step("answer to it", await until(lambda: ended(after)) == "completed", events[after:][-3:])
    microphone.stop()

    await typed("What is the weather in Paris?")
    step("tool", called == ["Paris"] and "21 degrees" in str(said("assistant")), [called, said("assistant")[-1:]])
    step("history", len(said("user")) >= 4 and len(said("assistant")) >= 5, [said("user"), said("assistant")])
    step("types of events", not errors, errors[:2])

    # The framework connects again by itself when the user says something.
    agent.model._ws.transport.abort()
    await until(lambda: not agent._connected)
    before = len(said("assistant"))
    await typed("Hello again")
    step("reconnect", "PINEAPPLE" in str(said("assistant")[before:]), [said("assistant")[before:], errors])
    await agent.close()


run(main)
