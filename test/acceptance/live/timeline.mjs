/** The ten utterances as one recording, with pauses for the answers, noise and clicks over them, and an interruption. */
import { wordErrors } from '../speech.recordings.mjs';
import { RATE } from './client.mjs';
import { CLICK, NOISE } from './utterances.mjs';

/** Seconds: for the greeting, for an answer, from the last word to an interruption of its answer, and from the answer to a noise. */
const [GREETING, ANSWER, OVER, NOISE_AT] = [10, 14, 5, 6];
/** 16-bit amplitude: the noise of a quiet room. */
const ROOM = 12;

/** @param {import('./utterances.mjs').Utterance[]} utterances of `script`: the second to last interrupts */
export function recorded(utterances) {
  /** @type {{ at: number, samples: Int16Array }[]} */
  const parts = [];
  let at = GREETING * RATE;
  for (const [number, { samples }] of utterances.entries()) {
    parts.push({ at, samples });
    at += samples.length;
    if (number === 2) parts.push({ at: at + NOISE_AT * RATE, samples: NOISE });
    if (number === 4) parts.push({ at: at + NOISE_AT * RATE, samples: CLICK });
    at += Math.round((number === utterances.length - 3 ? OVER : ANSWER) * RATE);
  }
  return inRoom(at, parts);
}

/** @param {number} length @param {{ at: number, samples: Int16Array }[]} parts sounds in a quiet room, and their positions */
export function inRoom(length, parts) {
  const all = Int16Array.from({ length }, () => (Math.random() * 2 - 1) * ROOM);
  for (const { at: from, samples } of parts)
    for (let n = 0; n < samples.length; n++)
      all[from + n] = Math.max(-32_768, Math.min(32_767, all[from + n] + samples[n]));
  return all;
}

const plain = (/** @type {string | undefined} */ text = '') => text.replace(/\s+/g, ' ').trim();

/**
 * @param {import('../harness.mjs').Report} report
 * @param {string} who
 * @param {{ words: string, heard: string }[]} turns
 */
export function reportWords(report, who, turns) {
  const { words, errors } = turns
    .map((turn) => wordErrors(turn.words, turn.heard))
    .reduce((sum, one) => ({ words: sum.words + one.words, errors: sum.errors + one.errors }));
  const right = Math.round((100 * (words - errors)) / words);
  report.row(`${who}: words understood`, '≥ 80 %', `${right} % of ${words}`, right >= 80);
}

/**
 * Compares a history with what was said, and with what the client shows.
 *
 * @param {import('../harness.mjs').Report} report
 * @param {string} who
 * @param {import('./utterances.mjs').Utterance[]} utterances
 * @param {any[]} history oldest first
 * @param {{ said: string[], answered: string[] }} shown
 */
export function compare(report, who, utterances, history, shown) {
  const asked = history.filter(({ direction }) => direction === 'outgoing').map(({ request }) => plain(request));
  const answers = history
    .filter(({ direction, request, answer }) => direction === 'incoming' && request && answer)
    .map(({ answer }) => plain(answer));
  utterances.forEach(({ words }, at) =>
    console.log(`  said:     ${words}\n  heard:    ${asked[at] ?? ''}\n  answered: ${answers[at] ?? ''}\n`),
  );
  const turns = utterances.length;
  report.row(
    `${who}: turns stored, and answered`,
    `${turns}, ${turns}`,
    `${asked.length}, ${answers.length}`,
    asked.length === turns && answers.length === turns,
  );
  reportWords(
    report,
    who,
    utterances.map(({ words }, at) => ({ words, heard: asked[at] ?? '' })),
  );
  for (const [what, seen, stored] of /** @type {const} */ ([
    ['what was said', shown.said, asked],
    ['the answers', shown.answered, answers],
  ])) {
    const different =
      stored.filter((text, at) => text !== plain(seen[at])).length + Math.max(0, seen.length - stored.length);
    if (different > 0) console.log(`  shown:  ${JSON.stringify(seen)}\n  stored: ${JSON.stringify(stored)}`);
    report.row(`${who}: ${what}, shown otherwise than GET /chat has it`, '0', String(different), different === 0);
  }
  return { asked, answers };
}
