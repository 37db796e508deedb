"""pipecat-ai: OpenAIRealtimeLLMService in a pipeline without a transport."""

import warnings

warnings.simplefilter("ignore")
from loguru import logger

logger.remove()
from pipecat.adapters.schemas.function_schema import FunctionSchema
from pipecat.adapters.schemas.tools_schema import ToolsSchema
from pipecat.frames.frames import *
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.runner import PipelineRunner
from pipecat.pipeline.task import PipelineTask
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import LLMContextAggregatorPair
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.services.openai.realtime.llm import OpenAIRealtimeLLMService

from common import *


class Passing(FrameProcessor):
    """Notes all frames, and lets them pass."""

    def __init__(self):
        super().__init__()
        self.frames, self.sounds = [], []

    async def process_frame(self, frame, direction):
        await super().process_frame(frame, direction)
        self.frames.append(frame)
        if isinstance(frame, TTSAudioRawFrame):
            self.sounds.append(time.monotonic())
        await self.push_frame(frame, direction)


class Talk:
    def __init__(self, messages):
        weather = FunctionSchema(
            name="get_weather", description="The weather", properties={"city": {"type": "string"}}, required=["city"]
        )
        self.llm = OpenAIRealtimeLLMService(
            api_key=TOKEN,
            base_url=f"{WS}/v1/realtime",
            settings=OpenAIRealtimeLLMService.Settings(model=AVATAR, system_instruction="Say PINEAPPLE."),
        )
        self.llm.register_function("get_weather", self.weather)
        self.context = LLMContext(messages, ToolsSchema(standard_tools=[weather]))
        aggregators = LLMContextAggregatorPair(self.context)
        self.input, self.before, self.after = Passing(), Passing(), Passing()
        self.task = PipelineTask(
            Pipeline([self.input, aggregators.user(), self.before, self.llm, self.after, aggregators.assistant()]),
            idle_timeout_secs=None,
        )
        self.running = asyncio.create_task(PipelineRunner(handle_sigint=False).run(self.task))
        self.called = []

    async def weather(self, params):
        self.called.append(params.arguments)
        await params.result_callback("21 degrees")

    async def push(self, piece):
        await self.input.push_frame(InputAudioRawFrame(audio=piece, sample_rate=RATE, num_channels=1))

    def mark(self):
        return len(self.before.frames), len(self.after.frames)

    async def next(self, kind, mark=(0, 0), seconds=LATEST):
        def found():
            frames = self.before.frames[mark[0] :] + self.after.frames[mark[1] :]
            return next((one for one in frames if isinstance(one, kind)), None)

        return await until(found, seconds)

    def said(self, mark=(0, 0)):
        return " ".join(one.text for one in self.after.frames[mark[1] :] if isinstance(one, TTSTextFrame))

    def errors(self):
        return [one.error for one in self.before.frames + self.after.frames if isinstance(one, ErrorFrame)]

    async def end(self):
        await self.task.cancel()
        await asyncio.wait([self.running], timeout=10)


async def main():
    talk = Talk([{"role": "developer", "content": "Greet the user."}])
    await asyncio.sleep(1)
    await talk.task.queue_frames([LLMRunFrame()])
    step("greeting", await talk.next(LLMFullResponseEndFrame) and talk.said(), talk.said())
    step("connect", not talk.errors(), talk.errors())

    mark, microphone = talk.mark(), Microphone(talk.push)
    microphone.say("moon")
    heard = await talk.next(TranscriptionFrame, mark)
    step("transcript", heard and "moon" in heard.text.lower(), heard)
    spoken = await talk.next(LLMFullResponseEndFrame, mark) and talk.said(mark)
    step("spoken turn", spoken and "PINEAPPLE" in spoken, spoken)
    await talk.end()
    microphone.stop()
    step("types of events", not talk.errors(), talk.errors())

    talk = Talk([{"role": "user", "content": "Say something long"}])
    await asyncio.sleep(1)
    await talk.task.queue_frames([LLMRunFrame()])
    step("typed turn", await talk.next(TTSAudioRawFrame))
    mark, microphone = talk.mark(), Microphone(talk.push)
    microphone.say("stop")
    step("interruption", await talk.next(InterruptionFrame, mark))
    mark = talk.mark()
    step("answer to it", await talk.next(TTSAudioRawFrame, mark))
    await talk.next(LLMFullResponseEndFrame, mark)
    microphone.stop()
    roles = lambda: [one["role"] for one in talk.context.get_messages()]
    step("history", await until(lambda: roles().count("user") >= 2 and "assistant" in roles(), 5), roles())
    await talk.end()

    talk = Talk([{"role": "user", "content": "What is the weather in Paris?"}])
    await asyncio.sleep(1)
    await talk.task.queue_frames([LLMRunFrame()])
    answered = await until(lambda: "21 degrees" in talk.said())
    step("tool", answered and talk.called == [{"city": "Paris"}], [talk.said(), talk.called, talk.errors()])
    await talk.end()

    past = [{"role": "user", "content": "My name is Zoe."}, {"role": "assistant", "content": "Hello Zoe."}]
    talk = Talk([*past, {"role": "user", "content": "Hello again"}])
    await asyncio.sleep(1)
    await talk.task.queue_frames([LLMRunFrame()])
    step("reconnect", await talk.next(LLMFullResponseEndFrame) and not talk.errors(), talk.errors())
    await talk.end()


async def turns():
    talk = Talk([{"role": "developer", "content": "Greet the user."}])
    await asyncio.sleep(1)
    await talk.task.queue_frames([LLMRunFrame()])
    await talk.next(LLMFullResponseEndFrame)
    await spoken_turns(talk.push, talk.after.sounds)
    step("interruption", await talk.next(InterruptionFrame))
    step("tool", talk.called == [{"city": "Paris"}], talk.called)
    roles = [one["role"] for one in talk.context.get_messages()]
    step("history", roles.count("user") >= 10 and roles.count("assistant") >= 10, roles)
    step("types of events", not talk.errors(), talk.errors())
    await talk.end()


if "TURNS" in os.environ:
    run(turns, 280)
run(main)
