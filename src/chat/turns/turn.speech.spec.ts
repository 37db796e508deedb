import type { Speech } from 'avatar-chat-media';
import { StreamedSpeech } from './turn.speech.js';

/** An answer whose sentences each take a second, and the files saved for it. */
function anAnswer() {
  const saved: string[] = [];
  const streamed = new StreamedSpeech('en', {
    speak: async (text) => ({ audio: Buffer.from(text), seconds: 1, phonemes: [] }) as unknown as Speech,
    save: async ({ audio }) => `/files/${saved.push(String(audio).trim())}`,
    keep: async () => 'whole',
    discard: async () => saved.splice(0),
  });
  return { streamed, saved };
}
const all = async (streamed: StreamedSpeech) => {
  const texts: string[] = [];
  for await (const { text } of streamed.events()) texts.push(text);
  return texts;
};
const sentence = (characters: number) => `${'Word '.repeat(characters / 5 - 1)}end. `;

describe('an answer that is spoken while it is produced', () => {
  it('is spoken up to its limit, without gaps', async () => {
    const { streamed } = anAnswer();
    const sentences = [...Array.from({ length: 13 }, () => sentence(300)), sentence(300), 'Short. '];
    streamed.push(sentences.join(''));
    streamed.end();
    const spoken = await all(streamed);
    expect(spoken.length).toBeGreaterThan(0);
    expect(spoken).toEqual(sentences.slice(0, spoken.length).map((text) => text.trim()));
    expect(spoken).not.toContain('Short.');
  });

  it('leaves no files if it is discarded', async () => {
    const { streamed, saved } = anAnswer();
    streamed.push('One. Two. ');
    streamed.end();
    expect(await all(streamed)).toEqual(['One.', 'Two.']);
    expect(saved).toEqual(['One.', 'Two.']);
    await streamed.discard();
    expect(saved).toEqual([]);
  });
});
