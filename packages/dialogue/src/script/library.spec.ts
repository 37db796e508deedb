import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reader, SHIPPED_SCRIPTS } from '../../test/scripts.js';
import { ScriptLibrary } from './library.js';
import { replyTo } from '../reply.js';

describe('ScriptLibrary', () => {
  let folder: string;
  const write = (language: string, text: string) => writeFileSync(join(folder, `${language}.json`), text);
  const script = (answer: string) =>
    JSON.stringify({ rules: [{ id: 'greeting', answers: [answer] }], fallback: [answer] });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'script-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('reads a file again once it has changed, and keeps the last good one', () => {
    const faults: string[] = [];
    const library = new ScriptLibrary(reader, (fault) => faults.push(fault));
    const fallback = (now: number) => library.open(folder, now).get('en')!.fallback[0];
    write('en', script('one'));
    expect(fallback(0)).toBe('one');
    write('en', script('second'));
    expect(fallback(1_000)).toBe('one');
    expect(fallback(2_500)).toBe('second');
    write('en', '{ broken');
    expect(fallback(5_000)).toBe('second');
    expect(faults).toEqual([expect.stringMatching(/^The script script-.* stays as it was\. .*not JSON/)]);
    write('en', script('the fourth'));
    expect(fallback(8_000)).toBe('the fourth');
  });

  it('reads ahead one language at a time, once for all', async () => {
    write('de', script('eins'));
    write('en', script('one'));
    await reader.readAhead(folder);
    const ahead = reader.read(folder);
    expect([...ahead.keys()]).toEqual(['de', 'en']);
    expect(reader.read(folder).get('de')).toBe(ahead.get('de'));
    write('en', '{ broken');
    await expect(reader.readAhead(folder)).rejects.toThrow(/not JSON/);
  });

  it('opens a shipped script piece by piece, which knows its answers as one does that was checked', () => {
    const shipped = join(SHIPPED_SCRIPTS, 'mira');
    const opened = new ScriptLibrary(reader).open(shipped);
    for (const [language, script] of reader.read(shipped)) {
      const answers = [...script.rules.all, ...script.crisis.all].flatMap((rule) => rule.answers);
      const topics = (one: typeof script) => answers.map((answer) => one.pointAfter(answer)?.topic.id);
      expect(topics(opened.get(language)!)).toEqual(topics(script));
      expect(topics(script)).toContain(script.knowledge && 'crisis');
      expect(opened.get(language)!.pointAfter('Nothing of the kind.')).toBeUndefined();
    }
  });

  it.each([
    ['de', 'Wie heißt du?'],
    ['en', 'What is your name?'],
    ['es', '¿Cómo te llamas?'],
  ])('tells the name of the avatar in %s, also where its script does not', (language, request) => {
    const own = {
      intents: [{ id: 'opening', examples: ['opening hours', 'when do you open'], answers: ['From nine to five.'] }],
    };
    write(
      language,
      JSON.stringify({ ...JSON.parse(script('…')), ...own, topics: ['bread', 'cakes', 'tea'], unknown: ['…'] }),
    );
    const about = { avatar: { name: 'Felix' }, request, history: [] };
    expect(replyTo(about, reader.read(folder).get(language)!, [], 0).answer).toContain('Felix');
  });

  it('names the file of each fault', () => {
    write('en', '{ broken');
    write('pt-BR', '{}');
    expect(() => reader.read(folder)).toThrow(/^en\.json: .*is not JSON[^]*^pt-BR\.json: /m);
  });

  it('refuses a folder without languages', () => {
    write('notes', '{}');
    expect(() => reader.read(folder)).toThrow(/no file named after a language/);
  });
});
