import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Call } from '../src/call.js';
import { Calls } from '../src/calls.js';
import { Caller, type OfferOptions } from './caller.js';

const ports = { min: 51_000, max: 51_099 };
let calls: Calls;
const callers: Caller[] = [];
beforeEach(() => (calls = new Calls({ ports })));
afterEach(async () => {
  for (const caller of callers.splice(0)) caller.kill();
  await calls.close();
});

const aCaller = () => {
  const caller = new Caller();
  callers.push(caller);
  return caller;
};

interface Log {
  readonly messages: string[];
  /** Loudness of each piece. */
  readonly levels: number[];
  closed: number;
}

/** What arrives of a call. */
const logOf = (call: Call): Log => {
  const log: Log = { messages: [], levels: [], closed: 0 };
  call.on('message', (data: string | Buffer, isBinary: boolean) => {
    if (!isBinary) return log.messages.push(String(data));
    const bytes = data as Buffer;
    let sum = 0;
    for (let at = 0; at < bytes.length; at += 2) sum += bytes.readInt16LE(at) ** 2;
    return log.levels.push(Math.sqrt((2 * sum) / bytes.length));
  });
  call.on('close', () => log.closed++);
  return log;
};

const connected = async (options?: OfferOptions) => {
  const caller = aCaller();
  const call = await calls.open(await caller.offer(options));
  const log = logOf(call);
  const opened = new Promise((resolve) => call.once('open', resolve));
  await caller.accept(call.answer);
  await opened;
  return { caller, call, log };
};

/** Sound of a response, as an event. */
const delta = (response_id: string, ms: number) => {
  const samples = Int16Array.from({ length: 24 * ms }, (_, n) => 8000 * Math.sin((2 * Math.PI * 400 * n) / 24_000));
  const bytes = Buffer.from(samples.buffer).toString('base64');
  return JSON.stringify({ type: 'response.output_audio.delta', event_id: 'event_1', response_id, delta: bytes });
};
const done = (id: string, status: string) => JSON.stringify({ type: 'response.done', response: { id, status } });

describe('a call', () => {
  it('carries sound and events both ways, within the range of ports', async () => {
    const { caller, call, log } = await connected();
    expect(caller.streams).toBe(1);
    const shown = [...call.answer.matchAll(/^a=candidate:\S+ 1 udp \d+ \S+ (\d+)/gim)].map(([, port]) => Number(port));
    expect(shown.length).toBeGreaterThan(0);
    expect(shown.filter((port) => port < ports.min || port > ports.max)).toEqual([]);
    call.send('{"type":"session.created"}');
    caller.send({ type: 'session.update' });
    caller.say(500, 1000);
    await caller.event('session.created');
    await caller.until(() => log.levels.filter((level) => level > 1000).length > 15);
    expect(log.messages).toEqual(['{"type":"session.update"}']);
    call.send(delta('resp_1', 1000));
    await caller.event('output_audio_buffer.started');
    call.send(done('resp_1', 'completed'));
    await caller.event('output_audio_buffer.stopped');
    expect(caller.events.slice(1)).toEqual([
      { type: 'output_audio_buffer.started', event_id: expect.any(String), response_id: 'resp_1' },
      { type: 'response.done', response: { id: 'resp_1', status: 'completed' } },
      { type: 'output_audio_buffer.stopped', event_id: expect.any(String), response_id: 'resp_1' },
    ]);
    expect(caller.levels.filter((level) => level > 1000).length).toBeGreaterThan(7);
  });

  it('sends hardly a packet while the avatar is silent, and sound at once after that', async () => {
    const { caller, call } = await connected();
    const second = async () => {
      const before = await caller.packets();
      await new Promise((resolve) => setTimeout(resolve, 1000));
      return (await caller.packets()) - before;
    };
    await second();
    expect(await second()).toBeLessThan(15);
    const began = performance.now();
    call.send(delta('resp_1', 1500));
    await caller.until(() => (caller.levels.at(-1) ?? 0) > 1000);
    expect(performance.now() - began).toBeLessThan(1000);
    expect(await second()).toBeGreaterThan(30);
  });

  it('falls silent when its response is cancelled, or its client wants it', async () => {
    const { caller, call, log } = await connected();
    const isLoud = () => (caller.levels.at(-1) ?? 0) > 1000;
    for (const cut of [
      () => call.send(done('resp_1', 'cancelled')),
      () => caller.send({ type: 'output_audio_buffer.clear' }),
    ]) {
      const from = caller.events.length;
      call.send(delta(`resp_${from}`.replace('resp_0', 'resp_1'), 20_000));
      await caller.until(isLoud);
      cut();
      await caller.event('output_audio_buffer.cleared', from);
      await caller.until(() => !isLoud());
      // A minute of sound was left.
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(isLoud()).toBe(false);
    }
    expect(log.messages).toEqual(['{"type":"output_audio_buffer.clear"}']);
  });

  it('says of a cancelled response that it was cut, even if all of its sound that was sent has been heard', async () => {
    const { caller, call } = await connected();
    call.send(delta('resp_1', 100));
    await caller.event('output_audio_buffer.started');
    call.send('{"type":"response.output_audio.done","response_id":"resp_1"}');
    await new Promise((resolve) => setTimeout(resolve, 500));
    call.send(done('resp_1', 'cancelled'));
    await caller.event('output_audio_buffer.cleared');
    expect(caller.events.map(({ type }) => type)).not.toContain('output_audio_buffer.stopped');
  });

  it('refuses video, and goes on with audio', async () => {
    const { caller, call, log } = await connected({ video: true });
    expect(call.answer).toMatch(/^m=video 0 /m);
    expect(call.answer).toMatch(/^m=audio [1-9]/m);
    caller.say(500, 1000);
    await caller.until(() => log.levels.some((level) => level > 1000));
  });

  it('of a client that is killed is closed soon, and so is one that is hung up', async () => {
    const [killed, left] = [await connected(), await connected()];
    killed.caller.kill();
    left.caller.hangUp();
    await Promise.all([killed, left].map(({ caller, log }) => caller.until(() => log.closed > 0)));
    expect([killed.log.closed, left.log.closed]).toEqual([1, 1]);
  });

  it('that is ended reaches its client with what was sent before', async () => {
    const { caller, call, log } = await connected();
    for (let n = 0; n < 200; n++) call.send(JSON.stringify({ type: 'x', n, text: 'y'.repeat(2000) }));
    call.close();
    call.send('{"type":"late"}');
    await caller.until(() => caller.isClosed && log.closed === 1);
    expect(caller.events.map(({ n }) => n as number)).toEqual(Array.from({ length: 200 }, (_, n) => n));
  });

  it('whose client never connects is closed', async () => {
    const caller = aCaller();
    const log = logOf(await calls.open(await caller.offer()));
    await caller.until(() => log.closed === 1, 30_000);
    expect(log).toEqual({ messages: [], levels: [], closed: 1 });
  });

  it('of a client that sends too large a message is closed', async () => {
    const caller = aCaller();
    const call = await calls.open(await caller.offer());
    const log = logOf(call);
    expect(call.answer).toContain('a=max-message-size:204800');
    // A client that does not care.
    await caller.accept(call.answer.replace('204800', '262144'));
    caller.send('x'.repeat(200_000));
    await caller.until(() => log.messages.length === 1);
    caller.send('x'.repeat(210_000));
    await caller.until(() => log.closed === 1);
    expect(log.messages).toHaveLength(1);
  });

  it('of a client that floods a service that does not read is closed', async () => {
    const { caller, call, log } = await connected();
    call.pause();
    for (let n = 0; n < 3000; n++) caller.send(`{"type":"${n}"}`);
    await caller.until(() => log.closed === 1);
    expect(log.messages.length).toBeLessThan(1100);
    expect(log.messages[0]).toBe('{"type":"0"}');
  });

  it('gets what waited, in order, once it is read again', async () => {
    const { caller, call, log } = await connected();
    call.pause();
    for (let n = 0; n < 50; n++) caller.send(`${n}`);
    call.on('message', (_, isBinary) => {
      if (isBinary || log.messages.length !== 10) return;
      call.pause();
      setTimeout(() => call.resume(), 50);
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(log.messages).toEqual([]);
    call.resume();
    expect(log.messages).toHaveLength(10);
    await caller.until(() => log.messages.length === 50);
    expect(log.messages).toEqual(Array.from({ length: 50 }, (_, n) => `${n}`));
  });

  it('is alive while its process is, and closed with it; the next call gets another', async () => {
    const { caller, call, log } = await connected();
    const pong = new Promise((resolve) => call.once('pong', resolve));
    call.ping();
    await pong;
    await calls.close();
    await caller.until(() => log.closed === 1 && caller.isClosed);
    expect(() => call.send('{}')).not.toThrow();
    await connected();
  });
});

it('an offer that the library does not understand is refused, and nothing else suffers', async () => {
  const { caller, call } = await connected();
  const garbage = 'v=0\r\nm=audio x y z\r\nm=application ? ?\r\n';
  await expect(calls.open(garbage)).rejects.toMatchObject({ code: 'invalid_offer' });
  call.send('{"type":"still.there"}');
  await caller.event('still.there');
});

it('where the library is not installed, an offer is refused in one sentence', () => {
  const place = mkdtempSync(join(tmpdir(), 'webrtc-'));
  cpSync(join(__dirname, '../dist'), place, { recursive: true });
  writeFileSync(join(place, 'package.json'), '{"type":"module"}');
  const program = `import { Calls } from './index.js';
    await new Calls({ ports: { min: 51100, max: 51101 } }).open('v=0').catch(({ code, message }) => console.log(code, message));`;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd: place, encoding: 'utf8' });
  rmSync(place, { recursive: true });
  expect(said).toBe('webrtc_unavailable The package @roamhq/wrtc is not installed.\n');
});
