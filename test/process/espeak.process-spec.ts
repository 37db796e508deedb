import { mp3Seconds, LIVE_RATE, spokenText, type Speech } from 'avatar-chat-media';
import { EspeakSpeaker, type VoiceSettings } from 'avatar-chat-models';
import { speakerContract } from '../../src/testing/speaker.contract.js';

const HELLO: Readonly<Record<string, string>> = {
  en: 'Hello! My name is Ada, and I like to talk with you.',
  es: '¡Hola! Me llamo Ada y me gusta hablar contigo.',
  fr: 'Bonjour ! Je m’appelle Ada et j’aime parler avec vous.',
  de: 'Guten Tag! Ich heiße Ada und rede gern mit Ihnen.',
  pt: 'Olá! Meu nome é Ada e gosto de conversar com você.',
  ar: 'مرحبا! اسمي آدا وأحب الحديث معك.',
  hi: 'नमस्ते! मेरा नाम एडा है और मुझे आपसे बात करना पसंद है।',
  zh: '你好！我叫艾达，我喜欢和你聊天。',
};

/**
 * The loudness of each MP3 frame in relative decibels, from its granules; a silent one has none. A stand-in for an ear:
 * MPEG-2 layer III in mono without a checksum, as the speaker produces it.
 */
function loudness(mp3: Uint8Array): (number | undefined)[] {
  const frames: (number | undefined)[] = [];
  const frameLength = (padding: number) => Math.floor((576 * 48 * 125) / 22_050) + padding;
  for (let at = 0; at + 13 <= mp3.length; at += frameLength((mp3[at + 2]! >> 1) & 1)) {
    expect([...mp3.subarray(at, at + 2)]).toEqual([0xff, 0xf3]);
    // After 32 bits of header, 8 of main_data_begin and 1 private: part2_3_length (12), big_values (9), global_gain (8).
    const bits = [...mp3.subarray(at + 5, at + 10)]
      .map((byte) => byte.toString(2).padStart(8, '0'))
      .join('')
      .slice(1);
    const [length, gain] = [parseInt(bits.slice(0, 12), 2), parseInt(bits.slice(21, 29), 2)];
    frames.push(length === 0 ? undefined : (gain - 210) * 1.5);
  }
  return frames;
}

/** The synthesizer's pauses vary: the same words took up to 13 ms more or less, those of `f4` 107 ms more. */
const JITTER = 0.05;
const endOf = ({ phonemes }: Speech) => phonemes.at(-1)!.end;

const entry = { kind: 'espeak' };
let speaker: EspeakSpeaker;
beforeAll(() => (speaker = new EspeakSpeaker(() => console)));
afterAll(() => speaker.onApplicationShutdown());

async function said(text: string, language_code: string, voice?: VoiceSettings): Promise<Speech> {
  const signal = new AbortController().signal;
  const speech = await speaker.speak({ entry, text, language_code, voice, signal });
  if (!speech) throw new Error('There was no speech. Has it been built (npm run build)?');
  return speech;
}

speakerContract('eSpeak', () => speaker, {
  entry,
  text: 'Hello! How are you today?',
  language_code: 'en',
});

describe('EspeakSpeaker', () => {
  it.each(Object.entries(HELLO))('speaks %s audibly', async (language_code, text) => {
    const { audio, seconds, phonemes } = await said(text, language_code);
    expect(seconds).toBeGreaterThan(2);
    expect(seconds).toBeLessThan(6);
    expect(seconds).toBeCloseTo(mp3Seconds(audio), 1);
    const heard = loudness(audio).filter((decibels) => decibels !== undefined);
    expect(heard.length / loudness(audio).length).toBeGreaterThan(0.6);
    expect(Math.max(...heard)).toBeGreaterThan(-60);
    expect(phonemes.length).toBeGreaterThan(15);
    const [first, last] = [phonemes[0]!, phonemes.at(-1)!];
    expect(first.start).toBeLessThan(0.3);
    expect(last.end).toBeGreaterThan(seconds - 1.2);
  });

  it('speaks each language differently', async () => {
    const spoken = await Promise.all(
      ['en', 'es', 'fr', 'de', 'pt'].map((code) => said('Information, radio, general.', code)),
    );
    expect(new Set(spoken.map(({ phonemes }) => phonemes.map(({ phoneme }) => phoneme).join(' '))).size).toBe(5);
  });

  it('speaks a regional variant, or the language itself', async () => {
    const [german, austrian] = [await said('Ich heiße Ada.', 'de'), await said('Ich heiße Ada.', 'de-AT')];
    expect(austrian.phonemes.map(({ phoneme }) => phoneme)).toEqual(german.phonemes.map(({ phoneme }) => phoneme));
    const [portuguese, brazilian] = [await said('Bom dia, gente.', 'pt'), await said('Bom dia, gente.', 'pt-BR')];
    expect(brazilian.phonemes).not.toEqual(portuguese.phonemes);
  });

  it('returns undefined in a language without a voice', async () => {
    const signal = new AbortController().signal;
    for (const language_code of ['xx', 'en/../x', ''])
      expect(await speaker.speak({ entry, text: 'hello', language_code, signal })).toBeUndefined();
  });

  it('has the voice of the avatar', async () => {
    const text = HELLO.en!;
    const usual = await said(text, 'en');
    expect((await said(text, 'en', { rate: 1.5 })).seconds).toBeLessThan(0.8 * usual.seconds);
    const other = await said(text, 'en', { names: { espeak: 'f4' } });
    expect(Math.abs(endOf(other) - endOf(usual))).toBeGreaterThan(JITTER);
    const odd: VoiceSettings = { rate: 1e9, pitch: -1e9, names: { espeak: '../../x', openai: 'f3' } };
    expect((await said(text, 'en', odd)).seconds).toBeGreaterThan(0.5);
    expect(Math.abs(endOf(await said(text, 'en')) - endOf(usual))).toBeLessThan(JITTER);
  });

  it.each([
    ['en', '  The **moon** is [384,000 km](https://a.b/c) away, don’t you think? 👍'],
    ['en', '* one of the two\n* see https://example.org/a-b'],
    ['zh', HELLO.zh!],
    ['ar', HELLO.ar!],
    ['hi', HELLO.hi!],
    ['fr', HELLO.fr!],
  ])('returns samples with word timings in %s: %j', async (language_code, text) => {
    const signal = new AbortController().signal;
    const { samples, phonemes, words } = (await speaker.sound({ entry, text, language_code, signal }))!;
    const seconds = samples.length / LIVE_RATE;
    expect(words.map((word) => word.text).join('')).toBe(text);
    expect(words.length).toBeGreaterThan(5);
    let last = 0;
    for (const word of words) {
      expect(word.start).toBeGreaterThanOrEqual(last);
      // Only words with letters that are spoken take time.
      expect(word.end > word.start).toBe(/[\p{L}\p{N}]/u.test(spokenText(word.text)));
      last = word.end;
    }
    expect(last).toBeCloseTo(phonemes.at(-1)!.end, 2);
    expect(seconds).toBeGreaterThan(last);
    expect(seconds).toBeLessThan(last + 0.5);
    // It starts at once.
    expect(samples.findIndex((sample) => Math.abs(sample) > 300)).toBeLessThan(0.06 * LIVE_RATE);
  });

  it('returns samples as long as its MP3, with the same phonemes', async () => {
    const signal = new AbortController().signal;
    const sound = (await speaker.sound({ entry, text: HELLO.de!, language_code: 'de', signal }))!;
    const speech = await said(HELLO.de!, 'de');
    expect(sound.phonemes.map(({ phoneme }) => phoneme)).toEqual(speech.phonemes.map(({ phoneme }) => phoneme));
    expect(Math.abs(sound.samples.length / LIVE_RATE - speech.seconds)).toBeLessThan(0.4);
  });

  it('reports the faults of an entry', () => {
    expect(speaker.validate({ kind: 'espeak', voice: 'f3' })).toEqual(['voice: is not known here']);
  });
});
