/** The ten turns in Chromium: the page's live mode, with a recording for its microphone, against `GET /chat`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aWav } from '../../../test/support/wav.mjs';
import { visit } from '../visitor.mjs';
import { RATE } from './client.mjs';
import { compare, recorded } from './timeline.mjs';

/** After the last utterance. */
const REST_MS = 5000;

/**
 * @param {import('../harness.mjs').Report} report
 * @param {{ url: string, port: number }} service
 * @param {import('./utterances.mjs').Utterance[]} utterances
 * @param {string} directory
 */
export async function talkOnPage(report, service, utterances, directory) {
  const samples = recorded(utterances);
  const file = join(directory, 'live.wav');
  // Chromium hears 48,000 samples a second best.
  writeFileSync(
    file,
    aWav(2 * RATE, 2 * samples.length, (n) => (samples[n >> 1] + samples[(n + 1) >> 1]) / 2),
  );
  const { page, history, close } = await visit(service, 'chat-type=voice&avatar=ada&language=en', file);
  try {
    await page.locator('.voice.live .microphone').click();
    await page.waitForTimeout((samples.length / RATE) * 1000 + REST_MS);
    await page.getByRole('button', { name: 'Stop listening' }).click();
    await page.waitForTimeout(REST_MS / 2);
    const [said, [, ...answered]] = await Promise.all(
      ['.mine', '.theirs'].map((side) => page.locator(`${side} .text`).allInnerTexts()),
    );
    const stored = await history();
    compare(report, 'In Chromium', utterances, stored, { said, answered });
    const cut = await page.locator('.theirs.interrupted').count();
    report.row('In Chromium: answers that were interrupted', '≥ 1', String(cut), cut >= 1);
    const files = stored.filter(({ fileUrl, chat_type }) => fileUrl || chat_type !== 'voice').length;
    report.row('In Chromium: messages that are recordings', '0', String(files), files === 0);
  } finally {
    await close();
  }
}
