import assert from 'node:assert/strict';
import { type AnswerPiece, type AvatarEngine, type EngineTurn, RETRACT } from 'avatar-chat-models';
import { assertEndsSoon, assertTakesEntry, withTimeout, testRunner } from './contract.js';

const MOST_PIECES = 100_000;

/** Fields of a turn that the contract fills in. */
type Given = 'signal' | 'message_id' | 'attempt';

/**
 * The tests that every engine must pass, for your own spec under Jest or another runner with `describe` and `it`.
 *
 * @param name subject of the tests, for the report
 * @param makeEngine creates an engine
 * @param makeTurn creates a turn that it answers, with a valid engine entry; always the same
 * @example
 * ```ts
 * engineContract('echo', () => new EchoEngine(), () => ({ ...aTurn, engine: { kind: 'echo' } }));
 * ```
 */
export function engineContract(
  name: string,
  makeEngine: () => AvatarEngine | Promise<AvatarEngine>,
  makeTurn: () => Omit<EngineTurn, Given> & Partial<Pick<EngineTurn, Given>>,
): void {
  const turnOf = (changes: Partial<EngineTurn> = {}): EngineTurn => ({
    message_id: '65f0c0ffee0000000000abcd',
    attempt: 1,
    ...makeTurn(),
    signal: new AbortController().signal,
    ...changes,
  });

  const { describe, it } = testRunner();
  describe(`${name} keeps the contract of an engine`, () => {
    it('has the kind that its entry names, and accepts the entry', async () => {
      const engine = await makeEngine();
      assertTakesEntry(engine, makeTurn().engine);
    });

    it('answers in pieces, each a non-empty text', async () => {
      const pieces = await piecesOf((await makeEngine()).reply(turnOf()));
      assert.ok(pieces.length > 0, 'there was no answer');
      for (const piece of pieces) assert.ok(typeof piece === 'string' && piece !== '', 'a piece was no text, or empty');
      assert.notEqual(pieces.join('').trim(), '', 'the answer was blank');
    });

    it('answers many users at once, and one user repeatedly, without mixing them up', async () => {
      const engine = await makeEngine();
      const alone = await shapeOf(engine, turnOf());
      const users = Array.from({ length: 8 }, (_, index) => turnOf({ user_id: `user-${index}` }));
      for (const shape of await Promise.all(users.map((user) => shapeOf(engine, user)))) assert.equal(shape, alone);
      const marked = 'xyzzy-7391';
      await piecesOf(engine.reply(turnOf({ user_id: 'other', request: `my name is ${marked}` })));
      const after = (await piecesOf(engine.reply(turnOf()))).join('');
      assert.ok(!after.includes(marked), 'the answer held what another user had said');
    });

    it('does not modify the turn', async () => {
      const given = turnOf({ history: [{ request: 'hello', answer: 'hi' }] });
      const before = JSON.stringify(given);
      await piecesOf((await makeEngine()).reply(given));
      assert.equal(JSON.stringify(given), before);
    });

    it('ends soon when it is aborted before it starts', async () => {
      const engine = await makeEngine();
      await assertEndsSoon(piecesOf(engine.reply(turnOf({ signal: AbortSignal.abort() }))));
    });

    it('ends soon when it is aborted after the first piece', async () => {
      const abort = new AbortController();
      const pieces = (await makeEngine()).reply(turnOf({ signal: abort.signal }))[Symbol.asyncIterator]();
      await pieces.next();
      abort.abort();
      await assertEndsSoon(
        (async () => {
          while (!(await pieces.next()).done);
        })(),
      );
    });

    it('stops when the caller stops reading', async () => {
      const engine = await makeEngine();
      await withTimeout(
        (async () => {
          for await (const _ of engine.reply(turnOf())) break;
        })(),
      );
    });
  });
}

async function piecesOf(reply: AsyncIterable<AnswerPiece>): Promise<string[]> {
  const pieces: AnswerPiece[] = [];
  for await (const piece of reply) if (pieces.push(piece) > MOST_PIECES) assert.fail('the answer has no end');
  return pieces.slice(pieces.lastIndexOf(RETRACT) + 1) as string[];
}

/** Models may word the same answer differently; only its presence must not differ. */
async function shapeOf(engine: AvatarEngine, turn: EngineTurn): Promise<boolean> {
  return (await piecesOf(engine.reply(turn))).join('').trim() !== '';
}
