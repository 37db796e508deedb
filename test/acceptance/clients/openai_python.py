"""openai (Python): checks each event against the package's types."""

import base64
from typing import get_args

from openai import AsyncOpenAI
from openai.types.realtime import RealtimeServerEvent

from common import *

TYPES = {one.model_fields["type"].annotation.__args__[0]: one for one in get_args(get_args(RealtimeServerEvent)[0])}
TOOL = {
    "type": "function",
    "name": "get_weather",
    "description": "The weather of a city.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}


class Events(list):
    """Received events, and what is wrong with them."""

    def __init__(self, connection):
        self.connection, self.faults = connection, []
        self.task = asyncio.create_task(self.read())

    async def read(self):
        while True:
            event = json.loads(await self.connection.recv_bytes())
            self.append(event)
            try:
                TYPES[event["type"]].model_validate(event)
            except Exception as error:
                self.faults.append(f"{event['type']}: {error!r}")

    async def next(self, kind, after):
        return await until(lambda: next((one for one in self[after:] if one["type"] == kind), None))


def message(text):
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}


def transcript(done):
    items = done["response"]["output"] if done else []
    return items[0]["content"][0].get("transcript", "") if items and "content" in items[0] else ""


async def main():
    client = AsyncOpenAI(api_key=TOKEN, base_url=BASE + "/v1", websocket_base_url=WS + "/v1")
    async with client.realtime.connect(model=AVATAR) as connection:
        events = Events(connection)
        step("connect", await events.next("session.created", 0))

        async def ask(event, kind):
            after = len(events)
            await connection.send(event)
            return await events.next(kind, after)

        session = {"type": "realtime", "instructions": "Say PINEAPPLE.", "tools": [TOOL]}
        await ask({"type": "session.update", "session": session}, "session.updated")
        done = await ask({"type": "response.create", "response": {"metadata": {"a": "b"}}}, "response.done")
        step("greeting", transcript(done) and done["response"]["metadata"] == {"a": "b"}, transcript(done))

        await connection.send({"type": "conversation.item.create", "item": message("Hello there")})
        done = await ask({"type": "response.create"}, "response.done")
        step("typed turn", "PINEAPPLE" in transcript(done) and done["response"]["usage"]["total_tokens"], transcript(done))

        async def send(piece):
            await connection.input_audio_buffer.append(audio=base64.b64encode(piece).decode())

        microphone = Microphone(send)
        after = len(events)
        microphone.say("moon")
        heard = await events.next("conversation.item.input_audio_transcription.completed", after)
        step("transcript", heard and "moon" in heard["transcript"].lower(), heard)
        done = await events.next("response.done", after)
        step("spoken turn", transcript(done), transcript(done))

        after = len(events)
        await connection.send({"type": "conversation.item.create", "item": message("Say something long")})
        await connection.send({"type": "response.create"})
        await events.next("response.output_audio.delta", after)
        microphone.say("stop")
        done = await events.next("response.done", after)
        step("interruption", done and done["response"]["status"] == "cancelled", done)
        again = len(events)
        step("answer to it", await until(lambda: [one for one in events[again:] if one["type"] == "response.done"]))
        microphone.stop()

        await connection.send({"type": "conversation.item.create", "item": message("What is the weather in Paris?")})
        done = await ask({"type": "response.create"}, "response.done")
        call = done["response"]["output"][-1]
        output = {"type": "function_call_output", "call_id": call["call_id"], "output": "21 degrees"}
        await connection.send({"type": "conversation.item.create", "item": output})
        done = await ask({"type": "response.create"}, "response.done")
        step("tool", call["arguments"] == '{"city":"Paris"}' and "21 degrees" in transcript(done), transcript(done))
        step("types of events", not events.faults, events.faults[:2])
        created = events[0]["session"]["id"]
    async with client.realtime.connect(model=AVATAR, extra_query={"resume": created}) as connection:
        again = json.loads(await connection.recv_bytes())
        step("reconnect", again["session"]["id"] == created, again["type"])


run(main)
