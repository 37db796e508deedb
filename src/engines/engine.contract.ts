import assert from 'node:assert/strict';
import { AvatarEngine, EngineTurn } from './avatar-engine.js';

// Those of the test runner, declared here so that this file, which ships, needs no package of one.
declare const describe: (name: string, tests: () => void) => void;
declare const it: (name: string, test: () => Promise<void>) => void;

const ABORT_BOUND_MS = 5_000;
const MOST_PIECES = 100_000;

/**
 * The tests that every engine must pass, for a spec of yours under Jest or another runner with `describe` and `it`.
 *
 * @param name what is tested, for the report
 * @param makeEngine makes an engine
 * @param makeTurn makes a turn that it answers, with a good engine entry; always the same
 * @example
 * ```ts
 * engineContract('echo', () => new EchoEngine(), () => ({ ...aTurn, engine: { kind: 'echo' } }));
 * ```
 */
export function engineContract(
  name: string,
  makeEngine: () => AvatarEngine | Promise<AvatarEngine>,
  makeTurn: () => Omit<EngineTurn, 'signal'>,
): void {
  const turnOf = (changes: Partial<EngineTurn> = {}): EngineTurn => ({
    ...makeTurn(),
    signal: new AbortController().signal,
    ...changes,
  });

  describe(`${name} keeps the contract of an engine`, () => {
    it('has the kind that its entry names, and finds no fault in the entry', async () => {
      const engine = await makeEngine();
      const entry = makeTurn().engine;
      assert.equal(engine.kind, entry.kind);
      assert.deepEqual(engine.validate(entry), []);
    });

    it('answers in pieces, each of them a text with something in it', async () => {
      const pieces = await piecesOf((await makeEngine()).reply(turnOf()));
      assert.ok(pieces.length > 0, 'there was no answer');
      for (const piece of pieces) assert.ok(typeof piece === 'string' && piece !== '', 'a piece was no text, or empty');
      assert.notEqual(pieces.join('').trim(), '', 'the answer was blank');
    });

    it('answers many users at once, and one user again after another, without mixing them up', async () => {
      const engine = await makeEngine();
      const alone = await shapeOf(engine, turnOf());
      const users = Array.from({ length: 8 }, (_, index) => turnOf({ user_id: `user-${index}` }));
      for (const shape of await Promise.all(users.map((user) => shapeOf(engine, user)))) assert.equal(shape, alone);
      const marked = 'xyzzy-7391';
      await piecesOf(engine.reply(turnOf({ user_id: 'other', request: `my name is ${marked}` })));
      const after = (await piecesOf(engine.reply(turnOf()))).join('');
      assert.ok(!after.includes(marked), 'the answer held what another user had said');
    });

    it('leaves the turn as it was', async () => {
      const given = turnOf({ history: [{ request: 'hello', answer: 'hi' }] });
      const before = JSON.stringify(given);
      await piecesOf((await makeEngine()).reply(given));
      assert.equal(JSON.stringify(given), before);
    });

    it('ends soon when it is aborted before it starts', async () => {
      const engine = await makeEngine();
      await inTime(piecesOf(engine.reply(turnOf({ signal: AbortSignal.abort() }))).catch(() => undefined));
    });

    it('ends soon when it is aborted after the first piece', async () => {
      const abort = new AbortController();
      const pieces = (await makeEngine()).reply(turnOf({ signal: abort.signal }))[Symbol.asyncIterator]();
      await pieces.next();
      abort.abort();
      await inTime(
        (async () => {
          while (!(await pieces.next()).done);
        })().catch(() => undefined),
      );
    });

    it('lets go when the caller stops listening', async () => {
      const engine = await makeEngine();
      await inTime(
        (async () => {
          for await (const _ of engine.reply(turnOf())) break;
        })(),
      );
    });
  });
}

async function piecesOf(reply: AsyncIterable<string>): Promise<string[]> {
  const pieces: string[] = [];
  for await (const piece of reply) if (pieces.push(piece) > MOST_PIECES) assert.fail('the answer has no end');
  return pieces;
}

/** Models may word the same answer differently: what must not differ is that there is one. */
async function shapeOf(engine: AvatarEngine, turn: EngineTurn): Promise<boolean> {
  return (await piecesOf(engine.reply(turn))).join('').trim() !== '';
}

async function inTime(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took longer than ${ABORT_BOUND_MS} ms`)), ABORT_BOUND_MS);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
