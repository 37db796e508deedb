/**
 * Do live turns end by their meaning? People, and a natural voice if one is named, say complete sentences, sentences with a
 * pause of thought, lists, and numbers with pauses, in real time, to sessions with `semantic_vad`. Measures how soon complete
 * turns end and are answered, and counts the pauses that end a turn.
 *
 *   npm run verify -- turns [--piper /models/en_US-joe-medium.onnx] [--recordings DIRECTORY] [--model FILE] [--eagerness auto]
 *
 * MODELS_DIR may name a directory with the models; --model is installed from that file, smart-turn-v3.2-cpu.onnx, which PyPI's
 * pipecat-ai also holds, instead of from the hub. The recordings are fetched from Debian, npm and PyPI; --recordings names a
 * directory that has those of Debian's asterisk-core-sounds-en-g722. They need ffmpeg. Takes six minutes each.
 */
import 'reflect-metadata';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { EspeakSpeaker } from 'avatar-chat-models';
import { parseArgs } from '../../scripts/arguments.mjs';
import { directory, Report, tokenOf } from './harness.mjs';
import { LiveClient } from './live/client.mjs';
import { installModel, startLive } from './live/measure.mjs';
import { ms, percentile } from './live/stages.mjs';
import { joined, trimmed } from './live/utterances.mjs';
import { createPiper } from './piper.mjs';
import { peoplesTurns } from './turns.recordings.mjs';

const { values } = parseArgs({
  options: {
    piper: { type: 'string' },
    recordings: { type: 'string' },
    model: { type: 'string' },
    eagerness: { type: 'string', default: 'auto' },
  },
});

const COMPLETE = [
  'Hello, how are you today?',
  'How far away is the moon?',
  'Can you tell me a short story about a dog?',
  'I would like to book a table for four people at seven.',
  'Please remind me to call my mother on Sunday.',
  'My order has not arrived yet.',
  'Which museum is open on Monday morning?',
  'Thank you very much, that was really helpful.',
  'The train leaves at half past nine from platform two.',
  'Could you explain that again, a little more slowly?',
  'I have a dog, and he is called Rex.',
  'What do you think about this plan?',
  'Yes, that sounds good to me.',
  'No, I do not want that.',
  'Where is the nearest pharmacy?',
  'I am looking for a present for my brother.',
  'It was raining all day yesterday.',
  'How much does it cost to send a parcel to France?',
  'That is all for today.',
  'Let us talk about something else.',
];
/** Parts with a pause of thought between them. */
const THOUGHTS = [
  ['I would like to book a table for,', 'four people at seven.'],
  ['Yesterday I was talking to my,', 'sister about the holidays.'],
  ['Can you tell me how to get to the,', 'central station from here?'],
  ['I think that we should,', 'wait until next week.'],
  ['So what I wanted to ask you is,', 'whether you can help me with my homework.'],
  ['My favourite film is probably the,', 'one with the robots.'],
  ['If I take the early train then,', 'I will be there at noon.'],
  ['The problem with my computer is that it,', 'never starts in the morning.'],
  ['We need to buy a new,', 'washing machine because the old one is broken.'],
  ['I have been trying to learn,', 'Spanish for two years.'],
  ['Could you please send that to,', 'my office address?'],
  ['When I was a child we used to,', 'live near the sea.'],
  ['Is it possible to change the,', 'date of my appointment?'],
  ['I am not sure whether I,', 'locked the door.'],
  ['The name of the street is,', 'Baker Street, I think.'],
  ['He told me that because of the,', 'weather there is no flight.'],
];
const LISTS = [
  ['I need milk,', 'bread,', 'and some apples.'],
  ['On Monday,', 'on Wednesday,', 'and on Friday afternoon.'],
  ['We visited Rome,', 'Florence,', 'and Venice last year.'],
  ['She speaks English,', 'French,', 'and a little German.'],
  ['First we eat,', 'then we play cards,', 'and then we go to bed.'],
  ['I like the red one,', 'the blue one,', 'and the green one.'],
  ['Bring a pen,', 'some paper,', 'and your passport.'],
  ['There is soup,', 'fish with rice,', 'and ice cream.'],
];
const NUMBERS = [
  ['My number is zero one seven,', 'four two two,', 'nine eight one.'],
  ['The code is four,', 'seven,', 'seven two.'],
  ['My customer number is eight hundred,', 'fifty five,', 'thirty one.'],
  ['It is two zero eight,', 'three six,', 'one one nine five.'],
  ['Call me at five five five,', 'zero one,', 'two three.'],
  ['The account is one two,', 'three four,', 'five six seven.'],
  ['My birthday is the twelfth,', 'of March,', 'nineteen ninety one.'],
  ['The order has the number nine,', 'nine six,', 'forty two.'],
];
/** Pauses of thought, and between the parts of lists and numbers, in milliseconds. */
const THINKING = [600, 900, 1200, 1500];
const READING = [600, 700, 800, 900];
/** Turns that end later have not been taken for complete. */
const AT_ONCE_MS = 1000;
const TURNS_OF_A_SESSION = 15;

const report = new Report('npm run verify -- turns');
const modelsDir = installModel(directory);
await installTurns(modelsDir, values.model);

/** From a file, as the hub would send it. @param {string} MODELS_DIR @param {string | undefined} file */
async function installTurns(MODELS_DIR, file) {
  const hub = createServer((_, response) => void createReadStream(file ?? '').pipe(response)).listen(0, '127.0.0.1');
  await once(hub, 'listening');
  const address = /** @type {import('node:net').AddressInfo} */ (hub.address());
  const env = { ...process.env, MODELS_DIR, ...(file ? { HF_ENDPOINT: `http://127.0.0.1:${address.port}` } : {}) };
  const child = spawn(process.execPath, ['dist/programs/cli.js', 'speech', 'install', 'smart-turn-v3'], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [status] = await once(child, 'exit');
  hub.close();
  if (status !== 0) throw new Error('smart-turn-v3 cannot be installed');
}

// Before anybody listens: synthesis takes time from recognition.
const people = await peoplesTurns(THINKING, READING, directory, values.recordings);
if (!people) report.row('Recordings of people', '', 'cannot be had here');
const espeak = new EspeakSpeaker(() => console);
const piper = createPiper(espeak);
/** @param {string} text */
async function said(text) {
  const request = { entry: { kind: 'piper', model: values.piper }, text, language_code: 'en' };
  const speech = await piper.sound({ ...request, signal: AbortSignal.timeout(120_000) });
  return trimmed(Int16Array.from(speech?.samples ?? []));
}
/** Texts with their sound, of which each pause is the next of some. @param {string[][]} texts @param {number[]} [pauses] */
async function spoken(texts, pauses = []) {
  const utterances = [];
  let next = 0;
  for (const parts of texts) {
    let samples = new Int16Array();
    for (const [at, part] of parts.entries())
      samples = at === 0 ? await said(part) : joined([samples, await said(part)], pauses[next++ % pauses.length]);
    utterances.push({ parts, samples });
  }
  return utterances;
}

const synthetic = values.piper && {
  complete: await spoken(COMPLETE.map((text) => [text])),
  thoughts: await spoken(THOUGHTS, THINKING),
  lists: await spoken(LISTS, READING),
  numbers: await spoken(NUMBERS, READING),
};
await Promise.all([piper.onApplicationShutdown(), espeak.onApplicationShutdown()]);

const service = await startLive(modelsDir);
let client = /** @type {LiveClient} */ (/** @type {unknown} */ (undefined));
/** @type {string[]} */
const faults = [];
let turns = 0;
/** A session lasts as long as its token, so there is a new one after some turns. */
async function renew() {
  if (client) await client.close();
  const token = await tokenOf(service.port, 'turns');
  client = await LiveClient.open(`ws://127.0.0.1:${service.port}/v1/realtime?model=ada&language_code=en`, token);
  client.faults = faults;
  await client.until('session.created');
  const turn_detection = { type: 'semantic_vad', eagerness: values.eagerness };
  client.send('session.update', { session: { type: 'realtime', audio: { input: { turn_detection } } } });
  await client.until('session.updated');
  client.listen();
  await delay(1000);
}

/** Says it, and waits for the answer to begin, which is then cancelled. */
async function say({ parts, samples }) {
  if (turns++ % TURNS_OF_A_SESSION === 0) await renew();
  const { first, last } = await client.say(samples);
  const stopped = await client.until('input_audio_buffer.speech_stopped', last);
  const early = client.events.filter(
    ({ type, at }) => type === 'input_audio_buffer.speech_stopped' && at >= first && at < last,
  );
  const ended = (/** @type {import('./live/client.mjs').LiveEvent} */ { type, item_id }) =>
    item_id === stopped.item_id && /transcription\.(completed|failed)$|^conversation\.item\.deleted$/.test(type);
  const heard = await client.until(ended);
  const created = await client.until('response.created', heard.at);
  const transcripts = early.map(
    (one) => client.events.find(({ item_id, transcript }) => transcript && item_id === one.item_id)?.transcript,
  );
  if (early.length > 0) console.log(`  ended early: ${parts.join(' … ')}: heard ${JSON.stringify(transcripts)}`);
  const sound = await client
    .until(({ type, response_id }) => type === 'response.output_audio.delta' && response_id === created.response.id)
    .catch(() => undefined);
  client.send('response.cancel');
  await client.until(({ type, response }) => type === 'response.done' && response.id === created.response.id);
  await delay(600);
  return { stopped: stopped.at - last, sound: (sound?.at ?? NaN) - last, early: early.length };
}

/** @param {string} what @param {Awaited<ReturnType<typeof spoken>>} utterances @param {number[]} [pauses] */
async function measure(what, utterances, pauses) {
  const turns = [];
  for (const utterance of utterances)
    turns.push(
      await say(utterance).catch(async (/** @type {Error} */ { message }) => {
        console.log(`  said again: ${message}`);
        await renew();
        return say(utterance);
      }),
    );
  const [stopped, sounds] = ['stopped', 'sound'].map((key) => turns.map((turn) => turn[key]).filter(Number.isFinite));
  const early = turns.reduce((sum, turn) => sum + turn.early, 0);
  const breaks = utterances.reduce((sum, { parts }) => sum + parts.length - 1, 0);
  const figures = (/** @type {number[]} */ all) =>
    `${all.filter((one) => one < AT_ONCE_MS).length} within ${ms(AT_ONCE_MS)}, median ${ms(percentile(all, 0.5))}, 95th percentile ${ms(percentile(all, 0.95))}`;
  const wanted = pauses === undefined;
  report.row(
    `${what}, ${turns.length}: last frame of speech to the end of the turn`,
    wanted ? 'median ≤ 320 ms' : '',
    figures(stopped),
    !wanted || percentile(stopped, 0.5) <= 320,
  );
  report.row(
    `${what}: last frame of speech to the first sound`,
    wanted ? 'median ≤ 420 ms' : '',
    figures(sounds),
    !wanted || percentile(sounds, 0.5) <= 420,
  );
  if (pauses)
    report.row(`${what}: pauses of ${pauses[0]} to ${pauses[3]} ms that ended a turn`, '', `${early} of ${breaks}`);
  return { early, breaks };
}

/** @param {string} who @param {{ early: number, breaks: number }[]} paused */
function reportPauses(who, paused) {
  const early = paused.reduce((sum, one) => sum + one.early, 0);
  const breaks = paused.reduce((sum, one) => sum + one.breaks, 0);
  report.row(
    `${who}: all pauses of thought that ended a turn`,
    '≤ 3 %',
    `${early} of ${breaks}`,
    early <= 0.03 * breaks,
  );
}
if (people) {
  await measure('People: complete sentences', people.complete);
  reportPauses('People', [
    await measure('People: sentences cut in thought', people.cut, THINKING),
    await measure('People: numbers', people.numbers, READING),
  ]);
  await measure('People: Kennedy, with his own pauses', people.kennedy, [500, 0, 0, 1100]);
  await measure('People: beginnings read for themselves, joined to others', people.joined, THINKING);
}
if (synthetic) {
  await measure('Piper: complete sentences', synthetic.complete);
  reportPauses('Piper', [
    await measure('Piper: sentences with a pause of thought', synthetic.thoughts, THINKING),
    await measure('Piper: lists', synthetic.lists, READING),
    await measure('Piper: numbers', synthetic.numbers, READING),
  ]);
}
report.row('Faults of the session', '0', String(faults.length), faults.length === 0);
for (const fault of new Set(faults)) console.log(`  fault: ${fault}`);
await client?.close();
await service.stop();
report.end();
