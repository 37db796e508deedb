/** The page of a caller, in a browser: OpenAI's client by its default transport, and a microphone that says what it is given. */
import { RealtimeAgent, RealtimeSession, OpenAIRealtimeWebRTC, tool } from '@openai/agents-realtime';

const { AudioContext, document, navigator } = /** @type {any} */ (globalThis);
const RATE = 24_000;
/** Loudness from which the avatar counts as heard. */
const HEARD = 0.01;
/** How often it is looked at, in milliseconds. */
const LOOK_MS = 10;

const state = {
  /** @type {any[]} with the time of each */
  events: [],
  /** @type {string[]} */
  errors: [],
  /** @type {unknown[]} arguments of calls of the tool */
  called: [],
  /** Times at which the avatar became audible, and silent. @type {{ at: number, isLoud: boolean }[]} */
  sounds: [],
  /** @type {unknown[]} */
  history: [],
  callId: '',
};

const audio = new AudioContext();
const microphone = audio.createMediaStreamDestination();
// A room is never quite silent, and a track without samples sends nothing.
const room = audio.createConstantSource();
const hush = audio.createGain();
hush.gain.value = 0.0005;
room.connect(hush).connect(microphone);
room.start();
Object.defineProperty(navigator, 'mediaDevices', { value: { getUserMedia: async () => microphone.stream } });

const weather = tool({
  name: 'get_weather',
  description: 'The weather of a city.',
  parameters: /** @type {any} */ ({
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: true,
  }),
  strict: false,
  execute: async (args) => (state.called.push(args), '21 degrees'),
});

/** @param {any} stream a MediaStream */
function listen(stream) {
  const analyser = audio.createAnalyser();
  analyser.fftSize = 512;
  audio.createMediaStreamSource(stream).connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  let quiet = 0;
  setInterval(() => {
    analyser.getFloatTimeDomainData(samples);
    const level = Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
    const wasLoud = state.sounds.at(-1)?.isLoud ?? false;
    quiet = level > HEARD ? 0 : quiet + LOOK_MS;
    // Between words it is silent, too.
    if (wasLoud ? quiet > 500 : level > HEARD)
      state.sounds.push({ at: performance.now() - (wasLoud ? quiet : 0), isLoud: !wasLoud });
  }, LOOK_MS);
}

/** @type {RealtimeSession} */
let session;

Object.assign(globalThis, {
  state,
  /** @param {string} baseUrl @param {string} apiKey */
  async connect(baseUrl, apiKey) {
    await audio.resume();
    const audioElement = document.createElement('audio');
    document.body.append(audioElement);
    const transport = new OpenAIRealtimeWebRTC({ baseUrl, audioElement });
    const agent = new RealtimeAgent({ name: 'Ada', instructions: 'Say PINEAPPLE.', tools: [weather] });
    session = new RealtimeSession(agent, { transport });
    session.on('error', (error) => state.errors.push(JSON.stringify(error)));
    session.on('history_updated', (history) => (state.history = JSON.parse(JSON.stringify(history))));
    transport.on('*', (event) => state.events.push({ ...event, at: performance.now() }));
    await session.connect({ apiKey });
    listen(audioElement.srcObject);
    state.callId = transport.callId ?? '';
  },
  /** Says 16-bit samples at 24 kHz, in base64. @param {string} encoded @returns {Promise<{ first: number, last: number }>} when it was said */
  say(encoded) {
    const bytes = Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0));
    const samples = Float32Array.from(new Int16Array(bytes.buffer), (sample) => sample / 32_768);
    const buffer = audio.createBuffer(1, samples.length, RATE);
    buffer.copyToChannel(samples, 0);
    const source = Object.assign(audio.createBufferSource(), { buffer });
    source.connect(microphone);
    return new Promise((resolve) => {
      const first = performance.now();
      source.addEventListener('ended', () => resolve({ first, last: performance.now() }));
      source.start();
    });
  },
  /** @param {string} text */
  type: (text) => session.sendMessage(text),
  /** @param {any} event */
  send: (event) => session.transport.sendEvent(event),
});
