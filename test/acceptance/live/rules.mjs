/** Rules for the events of any session. */
/** @typedef {import('./client.mjs').LiveEvent} LiveEvent */

const BEGIN = [
  'response.created',
  'response.output_item.added',
  'conversation.item.added',
  'response.content_part.added',
];
const END = [
  'response.output_audio.done',
  'response.output_audio_transcript.done',
  'response.content_part.done',
  'response.output_item.done',
  'conversation.item.done',
  'response.done',
];
const DELTAS = new Set([
  'response.output_audio_transcript.delta',
  'response.animation_viseme.delta',
  'response.audio_timestamp.delta',
  'response.output_audio.delta',
]);
const HEARING = [
  'input_audio_buffer.speech_started',
  'input_audio_buffer.speech_stopped',
  'input_audio_buffer.committed',
  'conversation.item.added',
  'conversation.item.input_audio_transcription.completed',
];
/** Limits in milliseconds: audio ahead of playback, a gap in it, and details after their audio. Includes some slack for a busy machine. */
const [AHEAD, DRY, LATE] = [2100, 450, 300];

const squeezed = (/** @type {string} */ text) => text.replace(/\s+/g, '');

/** The faults of all responses and utterances of a session. @param {LiveEvent[]} events @returns {string[]} */
export function faultsOf(events) {
  const faults = [];
  const ids = events.map(({ event_id }) => event_id);
  if (new Set(ids).size !== ids.length || ids.some((id) => !id)) faults.push('an event_id is missing, or comes twice');
  if (events[0]?.type !== 'session.created') faults.push(`${events[0]?.type} came first`);
  for (const { type, response } of events)
    if (type === 'response.created') faults.push(...responseFaults(events, response.id));
  const utterances = new Set(
    events.filter(({ type }) => type === HEARING[0] || type === HEARING[2]).map(({ item_id }) => item_id),
  );
  for (const id of utterances) faults.push(...utteranceFaults(events, id));
  faults.push(...chainFaults(events));
  return faults;
}

/** @param {LiveEvent[]} events @param {string} id */
function responseFaults(events, id) {
  const item = events.find(
    ({ type, response_id }) => type === 'response.output_item.added' && response_id === id,
  )?.item;
  const mine = events.filter(
    ({ type, response_id, response, item: { id: item_id } = {} }) =>
      response_id === id || response?.id === id || (/^conversation\.item\./.test(type) && item && item_id === item.id),
  );
  const types = mine.map(({ type }) => type).filter((type) => type !== 'conversation.item.retrieved');
  const { status, output } = mine.find(({ type }) => type === 'response.done')?.response ?? {};
  const faults = [];
  const number = events
    .filter(({ type }) => type === 'response.created')
    .findIndex(({ response }) => response.id === id);
  const fault = (/** @type {string} */ what) => faults.push(`response ${number}, ${status}: ${what}`);
  if (types.at(-1) !== 'response.done') fault(`the last event is ${types.at(-1)}`);
  if (types.filter((type) => type === 'response.done').length !== 1) fault('response.done not once');
  const begun = types.slice(0, BEGIN.length);
  const hasBegun = types.length > 2;
  if (hasBegun && begun.join() !== BEGIN.join()) fault(`it begins with ${begun.join(', ')}`);
  const ended = types.filter((type) => !DELTAS.has(type)).slice(BEGIN.length);
  if (status === 'completed' && ended.join() !== END.join()) fault(`it ends with ${ended.join(', ')}`);
  for (const { type, ...event } of mine)
    if (DELTAS.has(type))
      for (const [key, value] of Object.entries({ item_id: item?.id, output_index: 0, content_index: 0 }))
        if (event[key] !== value) fault(`${type} has the ${key} ${event[key]}`);
  const deltas = mine.filter(({ type }) => type === 'response.output_audio_transcript.delta');
  const transcript = output?.[0]?.content?.[0]?.transcript ?? '';
  const joined = deltas.map(({ delta = '' }) => delta).join('');
  if (status === 'completed' && squeezed(joined) !== squeezed(transcript))
    fault(`the transcript is ${transcript}, the deltas ${joined}`);
  for (const what of soundFaults(mine, transcript, status)) fault(what);
  return [...new Set(faults)];
}

/** @param {LiveEvent[]} events of one response @param {string} transcript @param {string} status */
function soundFaults(events, transcript, status) {
  const faults = [];
  const of = (/** @type {string} */ type) => events.filter((event) => event.type === `response.${type}.delta`);
  const [sounds, words, visemes] = [of('output_audio'), of('audio_timestamp'), of('animation_viseme')];
  let [total, until] = [0, 0];
  for (const { at, ms = 0 } of sounds) {
    if (total > 0 && at - until > DRY)
      faults.push(`no sound for ${Math.round(at - until)} ms, ${Math.round(total)} ms after its beginning`);
    until = Math.max(until, at) + ms;
    total += ms;
    if (until - at > AHEAD) faults.push(`sound ${Math.round(until - at)} ms ahead`);
  }
  // Details received before an audio chunk, and when the audio of a given offset arrived.
  const arrival = (/** @type {number} */ offset) => {
    let heard = 0;
    return sounds.find(({ ms = 0 }) => (heard += ms) > offset)?.at;
  };
  for (const [name, all] of /** @type {const} */ ([
    ['words', words],
    ['visemes', visemes],
  ])) {
    const offsets = all.map(({ audio_offset_ms = -1 }) => audio_offset_ms);
    if (offsets.some((offset, at) => offset < (offsets[at - 1] ?? 0))) faults.push(`${name} are not ascending`);
    if (status === 'completed' && offsets.some((offset) => offset > total + 1)) faults.push(`${name} after the sound`);
    for (const { at, audio_offset_ms = 0 } of all)
      if (at - (arrival(audio_offset_ms) ?? at) > LATE) faults.push(`${name} later than their sound`);
  }
  if (visemes.some(({ viseme_id = -1 }) => viseme_id < 0 || viseme_id > 21)) faults.push('an unknown viseme');
  const spoken = words.filter(({ audio_duration_ms = 0 }) => audio_duration_ms > 0);
  const silent = spoken.filter(
    ({ audio_offset_ms: from = 0, audio_duration_ms: ms = 0 }) =>
      !visemes.some(({ audio_offset_ms: at = 0 }) => at >= from - 1 && at <= from + ms),
  );
  if (silent.length > 0) faults.push(`no viseme for ${silent.map(({ text }) => text).join('|')}`);
  if (status === 'completed' && squeezed(words.map(({ text = '' }) => text).join('')) !== squeezed(transcript))
    faults.push('the words are not the transcript');
  return faults;
}

/** @param {LiveEvent[]} events @param {string | undefined} id */
function utteranceFaults(events, id) {
  const types = events
    .filter(({ item_id, item }) => item_id === id || item?.id === id)
    .map(({ type }) => type)
    .filter((type) => HEARING.includes(type));
  const removed = events.some(({ type, item_id }) => type === 'conversation.item.deleted' && item_id === id);
  const expected = HEARING.filter((type) => !removed || types.includes(type));
  return types.join() === expected.join() ? [] : [`an utterance has ${types.join(', ')}`];
}

/** All items form one chain, starting with null. @param {LiveEvent[]} events */
function chainFaults(events) {
  const added = events.filter(({ type }) => type === 'conversation.item.added');
  const gone = new Set(events.filter(({ type }) => type === 'conversation.item.deleted').map(({ item_id }) => item_id));
  return added.flatMap(({ previous_item_id, item }, at) => {
    const before = added.slice(0, at).map((event) => event.item.id);
    const good = at === 0 ? previous_item_id === null : before.includes(previous_item_id) || gone.has(previous_item_id);
    return good && (at === 0 || previous_item_id === before.at(-1) || gone.size > 0)
      ? []
      : [`the item ${at} (${item.role}) is after ${previous_item_id === null ? 'null' : 'another item than the last'}`];
  });
}
