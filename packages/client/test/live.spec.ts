import { WebSocket } from 'ws';
import { AvatarChat, type LiveOptions, type LiveSession, LiveSpeaker, type Output, samplesOf } from '../src/index.js';
import { LiveServer } from './live.server.js';

let server: LiveServer;
const sessions: LiveSession[] = [];

beforeEach(async () => (server = await new LiveServer().start()));
afterEach(async () => {
  for (const session of sessions.splice(0)) session.close();
  await server.stop();
});

const open = async (options: Partial<LiveOptions> = {}) => {
  const chat = new AvatarChat({ url: server.url, user_id: 'u', WebSocket, retries: 0 });
  const live = await chat.live({ avatar_id: 'ada', ...options });
  sessions.push(live);
  return { live, peer: server.peers.at(-1)! };
};
const heard = <Type extends Parameters<LiveSession['on']>[0]>(live: LiveSession, type: Type) =>
  new Promise<any>((resolve) => live.on(type, resolve));
const typesOf = (received: object[]) => received.map((event) => ('type' in event ? event.type : 'sound'));
/** What a session that has begun anew receives after its settings. */
const typesAfterSettings = (received: object[]) => {
  const [settings, ...types] = typesOf(received);
  expect(settings).toBe('session.update');
  return types;
};

describe('a live session', () => {
  it('sends the avatar in its URL and the token in a subprotocol, and starts with its settings', async () => {
    const settings = { audio: { input: { turn_detection: null } } };
    const { live, peer } = await open({ language_code: 'de', session: 's', chat_type: 'video', settings });
    expect([Object.fromEntries(peer.query), peer.token, live.info.id]).toEqual([
      { model: 'ada', language_code: 'de', session: 's' },
      'token-1',
      'session-1',
    ]);
    live.commit();
    await peer.next('input_audio_buffer.commit');
    expect(peer.received[0]).toEqual({
      type: 'session.update',
      session: {
        type: 'realtime',
        chat_type: 'video',
        audio: { input: { turn_detection: null, transcription: { interim_results: true } } },
      },
    });
  });

  it('renews an expired token, as other calls do', async () => {
    server.refused.set('token-1', 403);
    const { peer } = await open();
    expect(peer.token).toBe('token-2');
    expect(server.requests).toEqual([
      'POST /jwt',
      'POST /v1/realtime/client_secrets',
      'POST /jwt',
      'POST /v1/realtime/client_secrets',
    ]);
  });

  it('that is rejected reports whether the token was the reason, and is tried twice', async () => {
    server.refused.set('token-1', 401);
    await expect(open()).rejects.toMatchObject({ code: 'invalid_token', status: 401 });
    server.isFull = true;
    server.refused.clear();
    await expect(open()).rejects.toMatchObject({ code: 'network_error', status: 0 });
  });

  it('requests an answer to text, even while another is in progress', async () => {
    const { live, peer } = await open();
    const [added, asked] = [peer.next('conversation.item.create'), peer.next('response.create')];
    const id = live.send('Hello');
    expect((await added).item).toMatchObject({ id, role: 'user' });
    live.send('Are you there?');
    const { event_id } = await asked;
    peer.tell('response.created', { response: { id: 'r1' } });
    await heard(live, 'response.created');
    expect(live.response).toBe('r1');
    const again = peer.next('response.create');
    peer.tell('response.done', { response: { id: 'r1', status: 'cancelled' } });
    expect((await again).event_id).not.toBe(event_id);
    expect(typesAfterSettings(peer.received)).toEqual([
      'conversation.item.create',
      'response.create',
      'conversation.item.create',
      'response.cancel',
      'response.create',
    ]);
  });

  it('requests the next answer after one was rejected', async () => {
    const { live, peer } = await open();
    const asked = peer.next('response.create');
    live.respond();
    live.respond();
    const { event_id } = await asked;
    const again = peer.next('response.create');
    peer.tell('error', { error: { type: 'invalid_request_error', message: 'Another.', event_id: 'x' } });
    peer.tell('error', { error: { type: 'invalid_request_error', code: 'nothing_to_answer', message: '', event_id } });
    await again;
    expect(typesAfterSettings(peer.received)).toEqual(['response.create', 'response.create']);
  });

  it('sends audio unchanged', async () => {
    const { live, peer } = await open();
    const cleared = peer.next('input_audio_buffer.clear');
    live.append(Int16Array.of(1, -2, 300).subarray(1));
    live.clear();
    await cleared;
    expect(peer.received[1]).toEqual(Buffer.from([0xfe, 0xff, 0x2c, 0x01]));
  });

  it('resumes after a lost connection, and sends what was posted meanwhile', async () => {
    const { live, peer } = await open();
    const [lost, next] = [heard(live, 'lost'), server.nextPeer()];
    peer.cut();
    await lost;
    live.append(Int16Array.of(1));
    live.send('Still there?');
    const created = heard(live, 'session.created');
    const resumed = await next;
    expect(await created).toMatchObject({ resumed: true, session: { id: 'session-1' } });
    expect(resumed.query.get('resume')).toBe('session-1');
    await resumed.next('response.create');
    expect(typesOf(resumed.received)).toEqual(['conversation.item.create', 'response.create']);
  });

  it('changes settings and ends turns after a resume, if the connection was lost meanwhile', async () => {
    const { live, peer } = await open();
    const [lost, next] = [heard(live, 'lost'), server.nextPeer()];
    peer.cut();
    await lost;
    live.clear();
    live.update({ audio: { input: { turn_detection: null } } });
    live.commit();
    live.respond();
    const resumed = await next;
    await resumed.next('response.create');
    const input = ['input_audio_buffer.clear', 'session.update', 'input_audio_buffer.commit'];
    expect(typesOf(resumed.received)).toEqual([...input, 'response.create']);
  });

  it('restores its settings if the service has lost the session', async () => {
    server.resumes = false;
    const { live, peer } = await open();
    live.update({ audio: { input: { turn_detection: { type: 'server_vad', threshold: 0.4 } } } });
    live.update({ audio: { input: { turn_detection: { type: 'server_vad', silence_duration_ms: 900 } } } });
    const next = server.nextPeer();
    peer.close(1001);
    const { session } = await (await next).next('session.update');
    expect(session.audio.input.turn_detection).toEqual({
      type: 'server_vad',
      threshold: 0.4,
      silence_duration_ms: 900,
    });
    expect(live.info.id).toBe('session-2');
  });

  it('continues with a new token, without the session that expired with the first', async () => {
    const { live, peer } = await open({ session: 's' });
    const [created, next] = [heard(live, 'session.created'), server.nextPeer()];
    server.refused.set('token-1', 403);
    peer.close(1008);
    const { query, token } = await next;
    expect([Object.fromEntries(query), token]).toEqual([{ model: 'ada', resume: 'session-1' }, 'token-2']);
    expect(await created).toMatchObject({ resumed: true });
  });

  it('ends when the service ends it, rejects what was sent, or the signal aborts', async () => {
    for (const [code, error] of [
      [1000, undefined],
      [1009, expect.objectContaining({ code: 'network_error' })],
    ] as const) {
      const { live, peer } = await open();
      const closed = heard(live, 'closed');
      peer.close(code);
      expect((await closed).error).toEqual(error);
    }
    const controller = new AbortController();
    const { live } = await open({ signal: controller.signal });
    const closed = heard(live, 'closed');
    controller.abort();
    expect(await closed).toEqual({ type: 'closed' });
    live.send('Too late');
    expect(server.peers).toHaveLength(3);
    await expect(open({ signal: controller.signal })).rejects.toBe(controller.signal.reason);
  });
});

describe('its speaker', () => {
  class FakeOutput implements Output {
    sounds = false;
    heard: Output['heard'] = undefined;
    readonly told: unknown[] = [];
    play = (item_id: string, samples: Int16Array) => {
      this.told.push([item_id, ...samples]);
      this.sounds = true;
    };
    stop = () => {
      this.told.push('stop');
      this.sounds = false;
    };
    duck = (quiet: boolean) => void this.told.push(quiet ? 'quiet' : 'loud');
    close = () => void this.told.push('close');
  }
  const answers = async () => {
    const { live, peer } = await open();
    const output = new FakeOutput();
    const speaker = new LiveSpeaker(live, output);
    const tell = (type: string, fields: object) => {
      const told = heard(live, type);
      peer.tell(type, fields);
      return told;
    };
    await tell('response.created', { response: { id: 'r' } });
    await tell('response.output_audio.delta', { response_id: 'r', item_id: 'i', delta: 'AQD+/w==' });
    output.heard = { item_id: 'i', ms: 420.4 };
    const truncated = peer.next('conversation.item.truncate');
    return { live, peer, output, speaker, tell, truncated };
  };

  it('is quiet while somebody speaks, stops when the answer is cancelled, and reports what was heard', async () => {
    const { output, tell, truncated } = await answers();
    await tell('input_audio_buffer.speech_started', {});
    await tell('response.done', { response: { id: 'r', status: 'cancelled' } });
    expect(output.told).toEqual(['loud', ['i', 1, -2], 'quiet', 'stop', 'loud']);
    expect(await truncated).toMatchObject({ item_id: 'i', content_index: 0, audio_end_ms: 420 });
  });

  it('continues after a noise, and plays an answer that has arrived completely', async () => {
    const { peer, output, tell, live } = await answers();
    await tell('response.done', { response: { id: 'r', status: 'completed' } });
    await tell('input_audio_buffer.speech_started', {});
    await tell('conversation.item.deleted', { item_id: 'x' });
    expect(output.told.slice(2)).toEqual(['quiet', 'loud']);
    // Words interrupt it.
    await tell('conversation.item.input_audio_transcription.delta', { item_id: 'y', delta: 'Wait' });
    expect(output.told.slice(4)).toEqual(['stop', 'loud']);
    live.commit();
    await peer.next('input_audio_buffer.commit');
    expect(typesAfterSettings(peer.received)).toEqual(['conversation.item.truncate', 'input_audio_buffer.commit']);
  });

  it('is interrupted immediately, and plays nothing of that answer afterwards', async () => {
    const { peer, output, speaker, tell, truncated } = await answers();
    speaker.interrupt();
    await truncated;
    await tell('response.output_audio.delta', { response_id: 'r', item_id: 'i', delta: 'AQD+/w==' });
    expect(output.told.slice(2)).toEqual(['stop', 'loud']);
    expect(typesAfterSettings(peer.received)).toEqual(['conversation.item.truncate']);
  });

  it('decodes samples', () => {
    expect([...samplesOf('AQD+/yw=')]).toEqual([1, -2]);
  });
});
