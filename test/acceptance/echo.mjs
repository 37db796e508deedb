/**
 * A live conversation by loudspeaker: the microphone hears the avatar at -12 dB, 80 ms later, and nothing cancels the echo.
 * Counts the answers that the avatar's own voice interrupts, what it is taken to have said, and whether speech over it
 * still interrupts, and how soon.
 *
 *   npm run verify -- echo [--turns 20] [--decibels -12] [--delay 80]
 *
 * MODELS_DIR may name a directory with the model. Takes five minutes.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from '../../scripts/arguments.mjs';
import { directory, Report, tokenOf } from './harness.mjs';
import { LiveClient } from './live/client.mjs';
import { installModel, startLive } from './live/measure.mjs';
import { ms } from './live/stages.mjs';
import { asked } from './live/utterances.mjs';

const { values } = parseArgs({
  options: {
    turns: { type: 'string', default: '20' },
    decibels: { type: 'string', default: '-12' },
    delay: { type: 'string', default: '80' },
  },
});
const QUESTIONS = [
  'What is a black hole?',
  'How far away is the moon?',
  'Why is the sky blue?',
  'What can you do?',
  'Tell me a joke.',
];
/** How much of an answer plays before somebody speaks over it, and how long the end of an answer is observed. */
const [HEARD_MS, WATCH_MS] = [1200, 1500];
/** How long answers to what was misheard may take. */
const SETTLE_MS = 20_000;

const report = new Report('npm run verify -- echo');
const service = await startLive(installModel(directory));
const url = `ws://127.0.0.1:${service.port}/v1/realtime?model=ada&language_code=en`;
const client = await LiveClient.open(url, await tokenOf(service.port, 'aloud'));
await client.until('session.created');
client.playAloud(Number(values.decibels), Number(values.delay));
client.listen();

/** Asks by text, and waits for the first sound. @param {number} turn */
async function ask(turn) {
  const since = performance.now();
  const text = QUESTIONS[turn % QUESTIONS.length];
  client.send('conversation.item.create', {
    item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
  });
  client.send('response.create');
  const { response } = await client.until('response.created', since);
  const sound = await client.until(
    ({ type, response_id }) => type === 'response.output_audio.delta' && response_id === response.id,
  );
  return { id: response.id, since: sound.at };
}

/** @param {string} id */
const done = (id) => client.until(({ type, response }) => type === 'response.done' && response.id === id, 0, 120_000);
const started = (/** @type {number} */ since) =>
  client.events.filter(({ type, at }) => type === 'input_audio_buffer.speech_started' && at >= since);

const turns = Number(values.turns);
let [interrupted, begun] = [0, 0];
for (let turn = 0; turn < turns; turn++) {
  const { id, since } = await ask(turn);
  const { response } = await done(id);
  await delay(Math.max(0, client.playedAt(id) - performance.now()) + WATCH_MS);
  if (response.status !== 'completed') interrupted++;
  begun += started(since).length;
  // The avatar answers what it heard itself say.
  if (response.status !== 'completed') await delay(SETTLE_MS);
}
const heard = client.events.filter(({ type }) => /input_audio_transcription\.completed$/.test(type));
report.row(`Answers that their own echo interrupts, of ${turns}`, '0', String(interrupted), interrupted === 0);
report.row('Beginnings of speech meanwhile', '0', String(begun), begun === 0);
report.row('Turns that the avatar hears itself say', '0', String(heard.length), heard.length === 0);

const speech = await asked('Please stop, and tell me something else instead.');
const times = [];
let over = 0;
const SPOKEN_OVER = Math.max(1, Math.round(turns / 4));
for (let turn = 0; turn < SPOKEN_OVER; turn++) {
  const { id } = await ask(turn);
  await delay(HEARD_MS);
  const { first } = await client.say(speech.samples);
  const { response, at } = await done(id);
  if (response.status_details?.reason === 'turn_detected') over++;
  times.push({ started: (started(first)[0]?.at ?? Infinity) - first, done: at - first });
  const answer = await client.until('response.created', at).catch(() => undefined);
  if (answer) await done(answer.response.id);
  await delay(3000);
}
report.row(
  `Answers that speech over the echo interrupts, of ${SPOKEN_OVER}`,
  String(SPOKEN_OVER),
  String(over),
  over === SPOKEN_OVER,
);
report.row(
  'First frame of that speech to speech_started, and to response.done',
  '≤ 700, ≤ 1500 ms',
  times.map((one) => `${ms(one.started)}, ${ms(one.done)}`).join('; '),
  times.every((one) => one.started <= 700 && one.done <= 1500),
);
await client.close();
await service.stop();
report.end();
