import type { Speech } from '../speech/index.js';
import { AnswerAlong } from './turn.speech.js';

/** An answer whose sentences each take a second, and the files saved for it. */
function anAnswer() {
  const saved: string[] = [];
  const along = new AnswerAlong('en', {
    speak: async (text) => ({ audio: Buffer.from(text), seconds: 1, phonemes: [] }) as unknown as Speech,
    save: async ({ audio }) => `/files/${saved.push(String(audio).trim())}`,
    keep: async () => 'whole',
    discard: async () => saved.splice(0),
  });
  return { along, saved };
}
const all = async (along: AnswerAlong) => {
  const texts: string[] = [];
  for await (const { text } of along.events()) texts.push(text);
  return texts;
};
const sentence = (characters: number) => `${'Word '.repeat(characters / 5 - 1)}end. `;

describe('an answer that is spoken while it is produced', () => {
  it('is spoken up to its limit, without gaps', async () => {
    const { along } = anAnswer();
    const sentences = [...Array.from({ length: 13 }, () => sentence(300)), sentence(300), 'Short. '];
    along.push(sentences.join(''));
    along.end();
    const spoken = await all(along);
    expect(spoken.length).toBeGreaterThan(0);
    expect(spoken).toEqual(sentences.slice(0, spoken.length).map((text) => text.trim()));
    expect(spoken).not.toContain('Short.');
  });

  it('leaves no files if it is discarded', async () => {
    const { along, saved } = anAnswer();
    along.push('One. Two. ');
    along.end();
    expect(await all(along)).toEqual(['One.', 'Two.']);
    expect(saved).toEqual(['One.', 'Two.']);
    await along.discard();
    expect(saved).toEqual([]);
  });
});
