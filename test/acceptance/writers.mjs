/**
 * Clients that write turns, retry each with its Idempotency-Key until it is acknowledged, and read everything back: every
 * acknowledged message has to exist, once, in its position, and nothing else.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, keepAlive } from './harness.mjs';

export class Writers {
  /** Messages of turns answered with 201; a turn has two. */
  acknowledged = 0;
  /** Requests that had to be retried. */
  repeated = 0;
  /** @private */
  lastAcknowledged = 0;
  /** The longest time without an acknowledgement, in milliseconds. */
  longestPause = 0;
  /** Violations, as text. */
  faults = [];

  /** @param ports of the services; each client stays with one of them */
  constructor(ports, clients) {
    this.agent = keepAlive(clients);
    /** @type {{ user_id: string, port: number, token?: string, turns: any[] }[]} */
    this.users = Array.from({ length: clients }, (_, n) => ({
      user_id: `writer-${n}`,
      port: ports[n % ports.length],
      turns: [],
    }));
  }

  /** Writes until `isEnough` returns true, or there is a fault. */
  async write(isEnough) {
    this.lastAcknowledged = performance.now();
    await Promise.all(this.users.map((user) => this.writeAs(user, isEnough)));
  }

  async writeAs(user, isEnough) {
    const { user_id, turns } = user;
    user.token = (await this.insist(user, '/jwt', { method: 'POST', body: { user_id } })).body.jwt;
    while (!isEnough() && this.faults.length === 0) {
      const words = `turn ${turns.length} of ${user_id}`;
      const { status, body } = await this.insist(user, '/chat', {
        method: 'POST',
        token: user.token,
        headers: { 'idempotency-key': words.replaceAll(' ', '-') },
        body: { avatar_id: 'ada', request: words },
      });
      if (status !== 201) {
        this.faults.push(`${words}: ${status} ${body?.error}`);
        return;
      }
      turns.push({ words, ...body });
      this.acknowledged += 2;
      const now = performance.now();
      this.longestPause = Math.max(this.longestPause, now - this.lastAcknowledged);
      this.lastAcknowledged = now;
    }
  }

  /** Repeats a request until it gets a response other than a 503 or 504: with its key, a turn is continued. */
  async insist({ port }, path, request) {
    for (;;) {
      const answer = await ask(port, path, { ...request, agent: this.agent });
      if (![0, 503, 504].includes(answer.status)) return answer;
      this.repeated++;
      await sleep(100);
    }
  }

  /** @returns the number of lost acknowledged messages, and of duplicates; other faults are recorded. */
  async readBack() {
    let lost = 0;
    let duplicated = 0;
    for (const user of this.users) {
      const found = await this.history(user);
      const sent = user.turns.flatMap(({ outgoing, incoming }) => [outgoing, incoming]);
      const ids = new Set(found.map(({ _id }) => _id));
      const missing = sent.filter(({ _id }) => !ids.has(_id));
      lost += missing.length;
      // Every turn was retried until acknowledged, so any surplus is a duplicate.
      duplicated += found.length - (sent.length - missing.length);
      const differs = sent.findIndex((message, n) => JSON.stringify(message) !== JSON.stringify(found[n]));
      if (differs >= 0) this.faults.push(`${user.user_id}: message ${differs} differs from the acknowledged one`);
      for (const { words, outgoing, incoming } of user.turns)
        if (outgoing.request !== words || incoming.request !== words || !incoming.answer)
          this.faults.push(`${words}: was answered as "${outgoing.request}"`);
    }
    this.agent.destroy();
    return { lost, duplicated };
  }

  /** A user's messages as the service returns them, oldest first. */
  /** @param {{ user_id: string, token?: string, port: number }} user */
  async history({ user_id, token, port }) {
    const messages = [];
    for (let before = ''; ;) {
      const path = `/chat?user_id=${user_id}&per_page=1000${before}`;
      const { status, body } = await this.insist({ port }, path, { token });
      if (status !== 200) throw new Error(`GET /chat of ${user_id} answered ${status} ${JSON.stringify(body)}`);
      messages.push(...body.payload);
      if (!body.has_more_messages) return messages.reverse();
      before = `&before=${messages.at(-1)._id}`;
    }
  }
}
