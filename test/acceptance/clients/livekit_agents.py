"""livekit-plugins-openai: the RealtimeModel without a room, and an AgentSession with its own microphone and loudspeaker."""

from livekit import rtc
from livekit.agents import Agent, AgentSession, llm
from livekit.agents.voice import io
from livekit.plugins.openai.realtime import RealtimeModel

from common import *


@llm.function_tool
async def get_weather(city: str) -> str:
    """The weather of a city."""
    return "21 degrees"


class Talk:
    """A session, and what it says."""

    def __init__(self, model):
        self.session = model.session()
        self.heard, self.replies, self.errors, self.reconnected = [], [], [], False
        on = self.session.on
        on("input_audio_transcription_completed", lambda event: event.is_final and self.heard.append(event.transcript))
        on("generation_created", lambda event: asyncio.ensure_future(self.take(event)))
        on("error", lambda event: self.errors.append(repr(event.error)))
        on("session_reconnected", lambda _: setattr(self, "reconnected", True))
        self.started = []
        on("input_speech_started", lambda _: self.started.append(time.monotonic()))

    async def take(self, event):
        reply = {"text": "", "samples": 0, "calls": [], "over": False}
        self.replies.append(reply)

        async def messages():
            async for message in event.message_stream:

                async def text():
                    async for part in message.text_stream:
                        reply["text"] += part

                async def audio():
                    async for frame in message.audio_stream:
                        reply["samples"] += frame.samples_per_channel

                await asyncio.gather(text(), audio())

        async def calls():
            async for call in event.function_stream:
                reply["calls"].append(call)

        await asyncio.gather(messages(), calls())
        reply["over"] = True

    async def push(self, piece):
        self.session.push_audio(rtc.AudioFrame(piece, RATE, 1, len(piece) // 2))

    async def next(self, after):
        return await until(lambda: next((one for one in self.replies[after:] if one["over"]), None))

    async def typed(self, text):
        after = len(self.replies)
        context = self.session.chat_ctx.copy()
        context.add_message(role="user", content=text)
        await self.session.update_chat_ctx(context)
        await self.session.generate_reply()
        return await self.next(after)


async def main():
    model = RealtimeModel(model=AVATAR, api_key=TOKEN, base_url=BASE + "/v1")
    talk = Talk(model)
    session = talk.session
    await session.update_instructions("Say PINEAPPLE.")
    await session.update_tools([get_weather])
    await session.generate_reply()
    reply = await talk.next(0)
    step("connect", not talk.errors, talk.errors)
    step("greeting", reply and reply["samples"], reply)
    reply = await talk.typed("Hello there")
    step("typed turn", reply and "PINEAPPLE" in reply["text"], reply)

    microphone = Microphone(talk.push)
    after = len(talk.replies)
    microphone.say("moon")
    step("spoken turn", await talk.next(after))
    step("transcript", "moon" in str(talk.heard).lower(), talk.heard)

    after = len(talk.replies)
    context = session.chat_ctx.copy()
    context.add_message(role="user", content="Say something long")
    await session.update_chat_ctx(context)
    await session.generate_reply()
    await until(lambda: any(one["samples"] for one in talk.replies[after:]))
    before = len(talk.started)
    microphone.say("stop")
    step("interruption", await until(lambda: talk.started[before:]) and await talk.next(after))
    step("answer to it", await talk.next(after + 1))
    await asyncio.sleep(1)
    microphone.stop()

    reply = await talk.typed("What is the weather in Paris?")
    calls = reply["calls"] if reply else []
    if calls:
        context = session.chat_ctx.copy()
        result = {"call_id": calls[0].call_id, "name": calls[0].name, "output": "21 degrees", "is_error": False}
        context.items.append(llm.FunctionCallOutput(**result))
        after = len(talk.replies)
        await session.update_chat_ctx(context)
        await session.generate_reply()
        reply = await talk.next(after)
    step("tool", calls and reply and "21 degrees" in reply["text"], reply)
    roles = [item.role for item in session.chat_ctx.items if item.type == "message"]
    step("history", roles.count("user") >= 4 and roles.count("assistant") >= 4, roles)

    # Its connection is replaced while the conversation goes on.
    other = Talk(RealtimeModel(model=AVATAR, api_key=TOKEN, base_url=BASE + "/v1", max_session_duration=5))
    await other.typed("Hello there")
    await until(lambda: other.reconnected and len(other.session.chat_ctx.items) >= 2)
    count = len(other.replies)
    reply = await other.typed("Hello again")
    step("reconnect", other.reconnected and reply and count == 1 and len(other.replies) == 2, [other.replies, other.errors])
    step("types of events", not talk.errors, talk.errors[:2])


class Ear(io.AudioInput):
    def __init__(self):
        super().__init__(label="microphone")
        self.pieces = asyncio.Queue()

    async def push(self, piece):
        self.pieces.put_nowait(rtc.AudioFrame(piece, RATE, 1, len(piece) // 2))

    async def __anext__(self):
        return await self.pieces.get()


class Mouth(io.AudioOutput):
    """Plays what comes at once, in real time."""

    def __init__(self):
        capabilities = io.AudioOutputCapabilities(pause=False)
        super().__init__(label="loudspeaker", capabilities=capabilities, sample_rate=RATE)
        self.sounds, self.interruptions, self.length, self.timer = [], 0, 0, None

    async def capture_frame(self, frame):
        await super().capture_frame(frame)
        self.sounds.append(time.monotonic())
        if not self.length:
            self.began = time.monotonic()
            self.on_playback_started(created_at=time.time())
        self.length += frame.duration

    def flush(self):
        super().flush()
        left = self.began + self.length - time.monotonic() if self.length else 0
        self.timer = asyncio.get_running_loop().call_later(max(0, left), self.finish, False)

    def clear_buffer(self):
        if self.timer:
            self.timer.cancel()
        self.finish(True)

    def finish(self, interrupted):
        if not self.length:
            return
        position, self.length = min(self.length, time.monotonic() - self.began), 0
        self.interruptions += interrupted
        self.on_playback_finished(playback_position=position, interrupted=interrupted)


async def turns():
    called, errors, ear, mouth = [], [], Ear(), Mouth()

    @llm.function_tool
    async def get_weather(city: str) -> str:
        """The weather of a city."""
        called.append(city)
        return "21 degrees"

    session = AgentSession(llm=RealtimeModel(model=AVATAR, api_key=TOKEN, base_url=BASE + "/v1"))
    session.on("error", lambda event: errors.append(repr(event.error)))
    session.input.audio, session.output.audio = ear, mouth
    await session.start(Agent(instructions="Say PINEAPPLE.", tools=[get_weather]), record=False)
    await spoken_turns(ear.push, mouth.sounds)
    step("interruption", mouth.interruptions)
    step("tool", called == ["Paris"], called)
    roles = [item.role for item in session.history.items if item.type == "message"]
    step("history", roles.count("user") >= 10 and roles.count("assistant") >= 10, roles)
    step("types of events", not errors, errors)
    await session.aclose()


if "TURNS" in os.environ:
    run(turns, 280)
run(main)
