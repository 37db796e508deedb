/** The page's live mode in Chromium, with a recording as its microphone, compared with `GET /chat`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aWav } from '../../support/wav.mjs';
import { visit } from '../visitor.mjs';
import { RATE } from './client.mjs';
import { startLive } from './measure.mjs';
import { percentile, reportStages, stagesOf } from './stages.mjs';
import { compare, inRoom, recorded } from './timeline.mjs';
import { asked } from './utterances.mjs';

/** Recording time after the last utterance. */
const REST_MS = 5000;
/** Seconds: the silence that ends a turn of slow speakers, and a pause that they make. */
const [PATIENCE, PAUSE] = [5, 3.5];

/** Runs in the page: records WebSocket messages and their times. */
const TAP = `
  globalThis.live = { events: [], sent: [] };
  let length = 0;
  globalThis.WebSocket = class extends WebSocket {
    constructor(...options) {
      super(...options);
      this.addEventListener('message', ({ data }) => {
        const { delta, ...event } = JSON.parse(data);
        live.events.push({ ...event, at: performance.now() });
      });
    }
    send(data) {
      super.send(data);
      if (typeof data !== 'string') live.sent.push([(length += data.length) / ${RATE / 1000}, performance.now()]);
    }
  };`;

/**
 * Plays a whole recording to the page's microphone.
 *
 * @param {{ url: string, port: number }} service
 * @param {Int16Array} samples
 * @param {string} directory
 */
async function hear(service, samples, directory) {
  const file = join(directory, 'live.wav');
  // Chromium's fake microphone works best at 48 kHz.
  writeFileSync(
    file,
    aWav(2 * RATE, 2 * samples.length, (n) => (samples[n >> 1] + samples[(n + 1) >> 1]) / 2),
  );
  const options = { script: TAP };
  const { page, history, close } = await visit(service, 'chat-type=voice&avatar=ada&language=en', file, options);
  try {
    await page.locator('.voice.live .microphone').click();
    await page.waitForTimeout((samples.length / RATE) * 1000 + REST_MS);
    await page.getByRole('button', { name: 'Stop listening' }).click();
    await page.waitForTimeout(REST_MS / 2);
    const [said, [, ...answered]] = await Promise.all(
      ['.mine', '.theirs'].map((side) => page.locator(`${side} .text`).allInnerTexts()),
    );
    /** @type {{ events: import('./client.mjs').LiveEvent[], sent: [number, number][] }} */
    const { events, sent } = await page.evaluate('live');
    const cut = await page.locator('.theirs.interrupted').count();
    return { stored: await history(), said, answered, cut, events, sent };
  } finally {
    await close();
  }
}

/**
 * Runs the ten turns.
 *
 * @param {import('../harness.mjs').Report} report
 * @param {{ url: string, port: number }} service
 * @param {import('./utterances.mjs').Utterance[]} utterances
 * @param {string} directory
 */
export async function talkOnPage(report, service, utterances, directory) {
  const { stored, said, answered, cut, events, sent } = await hear(service, recorded(utterances), directory);
  compare(report, 'In Chromium', utterances, stored, { said, answered });
  for (const { response } of events.filter(({ type }) => type === 'response.done'))
    if (response.status !== 'completed') console.log(`  ${JSON.stringify([response.status, response.status_details])}`);
  report.row('In Chromium: answers that were interrupted', '≥ 1', String(cut), cut >= 1);
  const files = stored.filter(({ fileUrl, chat_type }) => fileUrl || chat_type !== 'voice').length;
  report.row('In Chromium: messages that are recordings', '0', String(files), files === 0);
  reportStages(report, 'In Chromium', stagesOf(events, sent));
}

/**
 * A question with a long pause in it, with a longer `stopSpeakingTimeoutSeconds`.
 *
 * @param {import('../harness.mjs').Report} report
 * @param {string} modelsDir
 * @param {string} directory
 */
export async function pauseOnPage(report, modelsDir, directory) {
  const catalogue = JSON.parse(readFileSync('catalogue/default.json', 'utf8'));
  for (const { settings } of catalogue.projects) settings.stopSpeakingTimeoutSeconds = PATIENCE;
  const file = join(directory, 'patient.json');
  writeFileSync(file, JSON.stringify(catalogue));
  const service = await startLive(modelsDir, { CATALOGUE_FILE: file });
  const parts = [await asked('How far away'), await asked('is the moon?')].map(({ samples }) => samples);
  const [first, second] = [10 * RATE, 10 * RATE + parts[0].length + PAUSE * RATE];
  const end = second + parts[1].length + (PATIENCE + 15) * RATE;
  const samples = inRoom(end, [
    { at: first, samples: parts[0] },
    { at: second, samples: parts[1] },
  ]);
  const { stored, events, sent } = await hear(service, samples, directory);
  await service.stop();
  const asks = stored.filter(({ direction }) => direction === 'outgoing').map(({ request }) => request);
  const answers = stored.filter(({ request, answer }) => request && answer).length;
  const who = `In Chromium, stopSpeakingTimeoutSeconds ${PATIENCE}, a question with a pause of ${PAUSE} s`;
  const isOne = asks.length === 1 && answers === 1 && /far away.*moon/i.test(asks[0]);
  report.row(`${who}: turns stored, and answered`, '1, 1', `${asks.length}, ${answers}: “${asks.join('” “')}”`, isOne);
  const stopped = percentile(
    stagesOf(events, sent).map((turn) => turn.stopped),
    0.5,
  );
  report.row(
    `${who}: end of speech to speech_stopped`,
    `${PATIENCE} to ${PATIENCE + 1} s`,
    `${(stopped / 1000).toFixed(2)} s`,
    stopped >= PATIENCE * 1000 - 100 && stopped <= PATIENCE * 1000 + 1000,
  );
}
