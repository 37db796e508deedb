/** A spoken conversation of ten turns in the live mode: questions, pauses, noise and an interruption, with timings. */
import { setTimeout as delay } from 'node:timers/promises';
import { LiveClient } from './client.mjs';
import { faultsOf } from './rules.mjs';
import { asked, CLICK, joined, NOISE, read } from './utterances.mjs';

/** @typedef {import('./client.mjs').LiveEvent} LiveEvent @typedef {import('./utterances.mjs').Utterance} Utterance */

/**
 * @typedef {object} Turn
 * @property {string} id of the response
 * @property {string} words the spoken words
 * @property {string} heard the transcript
 * @property {string} answer the part of the answer that has to be in the history
 * @property {string} status of the response
 * @property {Stages} stages
 *
 * @typedef {object} Stages milliseconds since the last frame of speech was sent
 * @property {number} stopped
 * @property {number} completed
 * @property {number} created
 * @property {number} sound
 *
 * @typedef {object} Interruption milliseconds since the first frame of speech over the avatar was sent
 * @property {number} started
 * @property {number} sound the last one
 * @property {number} done
 */

/** How much of the avatar's audio plays before it is interrupted, in milliseconds, and how long noise is observed. */
const [HEARD_MS, WATCH_MS] = [1200, 1500];
/** A pause that is too short to end a turn; 500 ms of silence end it. */
const SHORT_PAUSE_MS = 350;

/** The ten utterances: eight, the last of which gets a long answer, one that interrupts it, and a final one. @param {string} directory */
export async function script(directory) {
  const people = await read(directory);
  const paused = [await asked('How far away'), await asked('is the moon?')];
  /** @type {Utterance[]} */
  const all = [
    await asked('Hello, how are you today?'),
    {
      words: 'How far away is the moon?',
      samples: joined(
        paused.map(({ samples }) => samples),
        SHORT_PAUSE_MS,
      ),
    },
    await asked('Why is the sky blue?', 'en-gb'),
    ...people.slice(0, 4),
    await asked('What is a black hole?'),
    await asked('Please stop, and tell me a joke instead.'),
    await asked('That is all for today, thank you very much.', 'en-us+f3'),
  ];
  const spare = await asked('Thank you very much, that was really helpful.', 'en-gb');
  while (all.length < 10) all.splice(3, 0, spare);
  return all;
}

/**
 * Holds the conversation, and returns the measurements.
 *
 * @param {string} url of the session
 * @param {string} token
 * @param {Utterance[]} utterances of {@link script}
 */
export async function converse(url, token, utterances) {
  const client = await LiveClient.open(url, token);
  try {
    const { session } = await client.until('session.created');
    client.send('session.update', {
      session: {
        type: 'realtime',
        audio: { input: { transcription: { language: 'en' } } },
        animation: { outputs: ['viseme_id'] },
        output_audio_timestamp_types: ['word'],
      },
    });
    await client.until('session.updated');
    client.listen();
    const greetingAsked = performance.now();
    client.send('response.create');
    const greeting = await answered(client, greetingAsked);
    const greetingMs = greeting.sound.at - greetingAsked;
    await played(client, greeting.id);

    const quietSince = performance.now();
    await client.say(CLICK);
    await client.say(NOISE);
    await delay(WATCH_MS);
    unmoved(client, quietSince, 'in silence');

    /** @type {Turn[]} */
    const turns = [];
    /** @type {Interruption | undefined} */
    let interruption;
    const interrupting = utterances.length - 2;
    for (const [at, utterance] of utterances.entries()) {
      if (at === interrupting) continue;
      await delay(400 + 600 * Math.random());
      const turn = await say(client, utterance);
      turns.push(turn);
      if (at === interrupting - 1) {
        const next = await interrupt(client, turn, utterances[interrupting]);
        interruption = next.interruption;
        turns.push(next.turn);
      } else {
        if (at === 2 || at === 4) await disturb(client, at === 2 ? [CLICK, CLICK] : [NOISE]);
        await completed(client, turn);
      }
      await played(client, turns[turns.length - 1].id);
    }
    const ids = client.events.flatMap(({ type, item }) => (type === 'conversation.item.added' ? [item.id] : []));
    return {
      session,
      greetingMs,
      turns,
      interruption,
      ids,
      unheard: client.unheard,
      faults: [...client.faults, ...faultsOf(client.events)],
    };
  } finally {
    await client.close();
  }
}

const ENDS_OF_HEARING = [
  'conversation.item.input_audio_transcription.completed',
  'conversation.item.input_audio_transcription.failed',
  'conversation.item.deleted',
];

/** Waits for the first sound of the next response. @param {LiveClient} client @param {number} since */
async function answered(client, since) {
  const { response, at } = await client.until('response.created', since);
  const sound = await client.until(
    ({ type, response_id }) => type === 'response.output_audio.delta' && response_id === response.id,
  );
  return { id: /** @type {string} */ (response.id), created: at, sound };
}

/** @param {LiveClient} client @param {string} id */
async function played(client, id) {
  await done(client, id);
  await delay(Math.max(0, client.playedAt(id) - performance.now()));
}

/** @param {LiveClient} client @param {string} id */
const done = (client, id) =>
  client.until(({ type, response }) => type === 'response.done' && response.id === id, 0, 120_000);

/**
 * Speaks, and waits until the answer begins to sound. Repeats if there was no transcript.
 *
 * @param {LiveClient} client
 * @param {Utterance} utterance
 * @returns {Promise<Turn & { first: number, last: number }>}
 */
async function say(client, { words, samples }, attempts = 3) {
  const { first, last } = await client.say(samples);
  const stopped = await client.until('input_audio_buffer.speech_stopped', last);
  const early = client.events.filter(
    ({ type, at }) => type === 'input_audio_buffer.speech_stopped' && at >= first && at < last,
  );
  if (early.length > 0) client.faults.push(`a turn ended during “${words}”`);
  const { transcript, at } = await client.until(
    ({ type, item_id }) => ENDS_OF_HEARING.includes(type) && item_id === stopped.item_id,
  );
  if (transcript === undefined) {
    client.unheard++;
    if (attempts === 1) throw new Error(`“${words}” is never heard`);
    return say(client, { words, samples }, attempts - 1);
  }
  const { id, created, sound } = await answered(client, stopped.at);
  const stages = {
    stopped: stopped.at - last,
    completed: at - last,
    created: created - last,
    sound: sound.at - last,
  };
  return { id, words, heard: transcript, answer: '', status: '', stages, first, last };
}

/** @param {LiveClient} client @param {Turn} turn */
async function completed(client, turn) {
  const { response } = await done(client, turn.id);
  turn.status = response.status;
  turn.answer = response.output?.[0]?.content?.[0]?.transcript ?? '';
}

/** Plays non-speech sounds while the avatar speaks. @param {LiveClient} client @param {Int16Array[]} sounds */
async function disturb(client, sounds) {
  const since = performance.now();
  for (const sound of sounds) {
    await client.say(sound);
    await delay(300);
  }
  await delay(WATCH_MS);
  unmoved(client, since, 'over the avatar');
}

/** @param {LiveClient} client @param {number} since @param {string} when */
function unmoved(client, since, when) {
  const moved = client.events.filter(
    ({ at, type, response }) =>
      at > since && (/speech_started$/.test(type) || (type === 'response.done' && response.status !== 'completed')),
  );
  if (moved.length > 0) client.faults.push(`noise or a click ${when}: ${moved.map(({ type }) => type).join(', ')}`);
}

/**
 * Speaks over an answer, and keeps the part that was heard.
 *
 * @param {LiveClient} client @param {Turn} turn @param {Utterance} utterance
 */
async function interrupt(client, turn, utterance) {
  await delay(HEARD_MS);
  const saying = say(client, utterance);
  const begun = performance.now();
  const started = await client.until('input_audio_buffer.speech_started', begun);
  const sounds = () => client.of(turn.id).filter(({ type }) => type === 'response.output_audio.delta');
  const item_id = sounds()[0].item_id;
  const audio_end_ms = Math.round(started.at - sounds()[0].at);
  const { at, response } = await done(client, turn.id);
  client.send('conversation.item.truncate', { item_id, content_index: 0, audio_end_ms });
  const { audio_end_ms: end = 0 } = await client.until('conversation.item.truncated', at);
  turn.status = `${response.status} ${response.status_details?.reason}`;
  turn.answer = client
    .of(turn.id)
    .filter(({ type }) => type === 'response.audio_timestamp.delta')
    .filter(({ audio_offset_ms: from = 0, audio_duration_ms: ms = 0 }) => from + ms <= end)
    .map(({ text }) => text)
    .join('');
  const next = await saying;
  const interruption = {
    started: started.at - next.first,
    sound: Math.max(...sounds().map((event) => event.at)) - next.first,
    done: at - next.first,
  };
  await completed(client, next);
  return { turn: next, interruption };
}
