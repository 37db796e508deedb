/** The durations of the stages of a spoken turn. */

/** @typedef {import('./client.mjs').LiveEvent} LiveEvent @typedef {import('./conversation.mjs').Stages} Stages */

/** The measured stages of a turn, since the last frame of speech. */
const STAGES = /** @type {const} */ ([
  ['speech_stopped', 'stopped'],
  ['the transcript', 'completed'],
  ['response.created', 'created'],
  ['the first sound', 'sound'],
]);

/** @param {number[]} numbers @param {number} share from 0 to 1 */
export function percentile(numbers, share) {
  const sorted = numbers.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
}

/** @param {number[]} numbers */
const mean = (numbers) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

export const ms = (/** @type {number} */ value) => `${Math.round(value)} ms`;

/** @typedef {{ of: 'median' | 'mean', most: number }} Target of the first sound, in milliseconds */

/**
 * @param {import('../harness.mjs').Report} report
 * @param {string} who
 * @param {Stages[]} turns
 * @param {Target} [target]
 */
export function reportStages(report, who, turns, target) {
  for (const [name, stage] of STAGES) {
    const times = turns.map((turn) => turn[stage]).filter((time) => !Number.isNaN(time));
    const [median, average] = [percentile(times, 0.5), mean(times)];
    const wanted = stage === 'sound' ? target : undefined;
    report.row(
      `${who}: last frame of speech to ${name}`,
      wanted ? `${wanted.of} ≤ ${wanted.most} ms` : '',
      `median ${ms(median)}, p95 ${ms(percentile(times, 0.95))}, mean ${ms(average)}`,
      !wanted || (wanted.of === 'median' ? median : average) <= wanted.most,
    );
  }
}

/**
 * The stages of all turns of a session, derived from its events, for clients that do not know when they spoke.
 *
 * @param {LiveEvent[]} events
 * @param {[until: number, at: number][]} sent audio: its length so far in milliseconds, and the time
 * @returns {Stages[]}
 */
export function stagesOf(events, sent) {
  let silence = 0;
  const turns = [];
  for (const [index, { type, session, item_id, audio_end_ms = 0, at }] of events.entries()) {
    silence = session?.audio?.input?.turn_detection?.silence_duration_ms ?? silence;
    if (type !== 'input_audio_buffer.speech_stopped') continue;
    // A turn ends at the end of the silence.
    const last = sent.find(([until]) => until >= audio_end_ms - silence)?.[1] ?? NaN;
    const later = events.slice(index);
    const words = later.findIndex(
      (event) => event.item_id === item_id && event.type === 'conversation.item.input_audio_transcription.completed',
    );
    if (words < 0) continue;
    const created = later.slice(words).find((event) => event.type === 'response.created');
    const id = created?.response.id;
    const sound = later.find((event) => event.type === 'response.output_audio.delta' && event.response_id === id);
    const since = (/** @type {LiveEvent | undefined} */ event) => (event?.at ?? NaN) - last;
    turns.push({ stopped: at - last, completed: since(later[words]), created: since(created), sound: since(sound) });
  }
  return turns;
}
