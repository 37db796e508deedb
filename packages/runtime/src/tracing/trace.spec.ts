import { setTimeout as delay } from 'node:timers/promises';
import { currentTrace, runInTrace, traceFrom, traceparent } from './trace.js';

const ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('a trace', () => {
  it('is that of the caller', () => {
    expect(traceFrom(`00-${ID}-${SPAN}-01`)).toEqual({ id: ID, flags: '01', caller: SPAN });
    expect(traceFrom(`cc-${ID}-${SPAN}-00-later-parts`)).toEqual({ id: ID, flags: '00', caller: SPAN });
  });

  it.each([
    undefined,
    '',
    ID,
    `00-${ID}-${SPAN}`,
    `ff-${ID}-${SPAN}-01`,
    `00-${ID}-${SPAN}-01-more`,
    `00-${ID.toUpperCase()}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${ID}-${'0'.repeat(16)}-01`,
    `00-${ID}-${SPAN}-01, 00-${ID}-${SPAN}-01`,
    ['00'],
  ])('is new without a valid header: %s', (header) => {
    const { id } = traceFrom(header);
    expect(id).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
    expect(id).not.toBe(ID);
    expect(traceFrom(header).id).not.toBe(id);
  });

  it('stays with what it has started, and is passed on with a new span', async () => {
    const outside = currentTrace();
    const inside = await runInTrace(traceFrom(`00-${ID}-${SPAN}-01`), async () => {
      await delay(1);
      return [currentTrace().id, traceparent(), traceparent()];
    });
    expect(inside[0]).toBe(ID);
    expect(inside[1]).toMatch(new RegExp(`^00-${ID}-[0-9a-f]{16}-01$`));
    expect(inside[1]).not.toBe(inside[2]);
    expect(currentTrace()).toBe(outside);
  });
});
