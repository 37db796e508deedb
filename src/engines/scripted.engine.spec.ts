import { EngineTurn } from './avatar-engine.js';
import { engineContract } from './engine.contract.js';
import { ScriptedEngine } from './scripted.engine.js';

const aTurn = (changes: Partial<EngineTurn> = {}): EngineTurn => ({
  project_id: 'default',
  user_id: 'u1',
  avatar: { _id: 'ada', name: 'Ada', greetingText: 'Hello!' },
  engine: { kind: 'scripted', script: 'ada' },
  language_code: 'en',
  chat_type: 'text',
  request: 'hello',
  history: [],
  signal: new AbortController().signal,
  ...changes,
});

async function gathered(reply: AsyncIterable<string>): Promise<string[]> {
  const pieces: string[] = [];
  for await (const piece of reply) pieces.push(piece);
  return pieces;
}

/** Says the requests one after another, as a conversation, and gives the answers. */
async function talk(requests: readonly string[], changes: Partial<EngineTurn> = {}): Promise<string[]> {
  const engine = new ScriptedEngine();
  const history: { request: string; answer: string }[] = [];
  for (const request of requests) {
    const pieces = await gathered(engine.reply(aTurn({ ...changes, request, history: [...history] })));
    history.push({ request, answer: pieces.join('') });
  }
  return history.map(({ answer }) => answer);
}

engineContract('the scripted engine', () => new ScriptedEngine(), aTurn);

describe('ScriptedEngine', () => {
  it('streams an answer word by word, losing nothing', async () => {
    const pieces = await gathered(new ScriptedEngine().reply(aTurn({ request: 'Who are you?' })));
    expect(pieces.length).toBeGreaterThan(8);
    expect(Math.max(...pieces.map((piece) => piece.trim().length))).toBeLessThan(20);
    expect(pieces.join('')).toMatch(/Ada.*\.$/);
  });

  it('gives the same conversation every time', async () => {
    const requests = ['hi', 'a joke please', 'another one', 'hm, what?', 'tell me a story', 'bye'];
    expect(await talk(requests)).toEqual(await talk(requests));
  });

  it('remembers a name from earlier turns, also one told in another language', async () => {
    const answers = await talk([
      'Hi! My name is Zoë-Anne O’Neill, nice to meet you',
      'what is the weather?',
      "what's my name?",
    ]);
    expect(answers[2]).toContain('Zoë-Anne O’Neill');
  });
});
