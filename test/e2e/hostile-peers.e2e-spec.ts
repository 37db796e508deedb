import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Config } from '../../src/config/index.js';
import { OutgoingHttp } from '../../src/outgoing/index.js';
import { WebhookSender } from '../../src/webhooks/webhook.sender.js';
import { BEHAVIOUR_NAMES, type HostilePeer, startHostilePeer, TestClock } from '../support/index.js';

/** How long each caller may wait for its peer here, in milliseconds; what takes longer than the second is hung. */
const LIMIT_MS = 300;
const HUNG_MS = 10_000;

let peer: HostilePeer;
let elsewhere: HostilePeer;
beforeAll(async () => {
  elsewhere = await startHostilePeer();
  peer = await startHostilePeer('never answers', `${elsewhere.url}/elsewhere`);
});
afterAll(() => Promise.all([peer.close(), elsewhere.close()]));

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const HUNG = 'still waiting';
/** What a call came to: its answer or its error's message, as text, or that it goes on and on. */
async function outcomeOf(call: Promise<unknown>): Promise<string> {
  const outcome = call.then(
    (answer) => JSON.stringify(answer) ?? 'nothing',
    (error: Error) => `${error.name}: ${error.message}`,
  );
  await delay(LIMIT_MS / 3);
  collectGarbage(); // and with it a time limit that nothing else holds
  return Promise.race([outcome, delay(HUNG_MS, HUNG, { ref: false })]);
}

const config = new Config({ webhookTimeoutSeconds: LIMIT_MS / 1000 });
const http = new OutgoingHttp(config);

/** Everything that calls servers outside by HTTP, and what such a call may come to. */
const CALLERS: [name: string, call: () => Promise<unknown>, outcome: RegExp][] = [
  [
    'a webhook',
    () =>
      new WebhookSender(config, new TestClock(), http).send(
        { url: `${peer.url}/hook`, id: 'evt_1', body: '{"words":"secret"}', keys: [Buffer.alloc(32)] },
        new AbortController().signal,
      ),
    /^\{("status":\d{3}(,"retryAfter":\d+)?|"error":"[A-Z][A-Z_]+")\}$/,
  ],
];

describe.each(CALLERS)('%s', (_name, call, outcome) => {
  it.each(BEHAVIOUR_NAMES)('settles, and lets go of a peer that %s', async (behaviour) => {
    peer.behaviour = behaviour;
    peer.heads.length = 0;
    expect(await outcomeOf(call())).toMatch(outcome);
    expect(peer.heads.length).toBeGreaterThan(0);
    while (peer.open() > 0) await delay(10);
    expect(elsewhere.heads).toEqual([]);
  });
});
