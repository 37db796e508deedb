import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { DiscoveryService } from '@nestjs/core';
import { type PromptedTurn, PromptSource } from 'avatar-chat-models';
import { PromptSources } from './prompt.sources.js';

const turn = { project_id: 'p', user_id: 'ann', request: 'How far?' } as PromptedTurn;
const source = (paragraphFor: PromptSource['paragraphFor'], order = 0) =>
  Object.assign(new (class extends PromptSource { paragraphFor = paragraphFor; })(), { order }); // prettier-ignore
class ImpatientSources extends PromptSources {
  override timeoutMs = 50;
}
const sourcesOf = (...instances: unknown[]) =>
  new ImpatientSources({ getProviders: () => instances.map((instance) => ({ instance })) } as DiscoveryService);

describe('PromptSources', () => {
  beforeAll(() => Logger.overrideLogger(false));

  it('gives the paragraphs of all sources in order, and leaves out empty ones', async () => {
    const sources = sourcesOf(
      source(({ user_id }, tokens) => `for ${user_id}, ${tokens}`, 2),
      source(() => Promise.resolve(undefined)),
      source(() => ''),
      source(({ request }) => Promise.resolve(request), 1),
      {},
    );
    expect(await sources.paragraphsFor(turn, 900)).toEqual(['How far?', 'for ann, 900']);
  });

  it('goes without a source that throws, rejects or hangs', async () => {
    const sources = sourcesOf(
      source(() => {
        throw new Error('no');
      }),
      source(() => Promise.reject(new Error('no'))),
      source(() => new Promise(() => undefined)),
      source(() => 'here'),
    );
    expect(await sources.paragraphsFor(turn, 900)).toEqual(['here']);
  });

  it('names no document for a paragraph that came too late', async () => {
    const cite = jest.fn();
    const citing = (ms: number, document_id: string) =>
      source(async (turn) => {
        await delay(ms);
        turn.cite?.([{ document_id, title: 'T', text: 'x' }]);
        return document_id;
      });
    expect(await sourcesOf(citing(0, 'soon'), citing(100, 'late')).paragraphsFor({ ...turn, cite }, 900)).toEqual([
      'soon',
    ]);
    await delay(100);
    expect(cite.mock.calls.flat(2)).toEqual([expect.objectContaining({ document_id: 'soon' })]);
  });
});
