import { setTimeout as delay } from 'node:timers/promises';
import { HeardAudio } from './heard.audio.js';
import type { PeerOptions, Report } from './messages.js';
import { MESSAGE_LIMIT } from './session.description.js';
import { RATE, SpokenAudio } from './spoken.audio.js';
import type { AudioSink, DataChannel, PeerConnection, PeerStats, Wrtc } from './wrtc.js';

/** How much may wait for a client that does not read, in bytes. */
const UNSENT_LIMIT = 2 * 1024 * 1024;
/** How long it may take to find this side's addresses, and until the client is connected, in milliseconds. */
const GATHERING_MS = 2000;
const CONNECTING_MS = 10_000;
/** How long nothing may come of a client, in milliseconds: even a mute one answers ICE's checks every 2.5 s. */
const SILENT_MS = 3500;
const WATCH_MS = 1000;
/** How long a call that ends waits until what was sent has left, in milliseconds. */
const FLUSH_MS = 300;
/** How often audio is played, and a condition checked, in milliseconds. */
const STEP_MS = 20;

/** Events that say something about sound; their type is their first field. */
const ABOUT_SOUND = /^\{"type":"response\.(output_audio\.delta|done)"/;
/** A client wants the avatar to fall silent at once. */
const CLEAR = /"type"\s*:\s*"output_audio_buffer\.clear"/;

interface SoundEvent {
  readonly type: string;
  readonly response_id: string;
  readonly delta: string;
  readonly response: { readonly id: string; readonly status: string };
}

/** A peer connection with audio in both directions and a data channel of events. */
export class PeerCall {
  private readonly peer: PeerConnection;
  private readonly source;
  private readonly track;
  private readonly spoken: SpokenAudio;
  private readonly heard: HeardAudio;
  private sink?: AudioSink;
  private channel?: DataChannel;
  private steps?: NodeJS.Timeout;
  private watching?: NodeJS.Timeout;
  /** Packets received, and when there were more. */
  private received = 0;
  private receivedAt = performance.now();
  private isClosed = false;
  private reports = 0;

  /** @param tell called with what becomes of it; after `closed` no more */
  constructor(
    private readonly wrtc: Wrtc,
    { ports }: PeerOptions,
    private readonly tell: (report: Report) => void,
  ) {
    const { RTCPeerConnection, nonstandard } = wrtc;
    this.peer = new RTCPeerConnection({ iceServers: [], bundlePolicy: 'max-bundle', portRange: ports });
    this.source = new nonstandard.RTCAudioSource();
    this.track = this.source.createTrack();
    this.spoken = new SpokenAudio(
      (samples) => this.source.onData({ samples, sampleRate: RATE }),
      (what, response_id) => this.report(what, response_id),
      performance.now(),
    );
    this.heard = new HeardAudio((piece) => this.channel && tell({ audio: new Uint8Array(piece.buffer) }));
    this.peer.onconnectionstatechange = () => this.peer.connectionState === 'failed' && this.close();
    this.peer.ondatachannel = ({ channel }) => this.onChannel(channel);
  }

  /** Answers an offer, with all candidates. */
  async answer(sdp: string): Promise<void> {
    try {
      this.tell({ answer: await this.negotiate(sdp) });
    } catch {
      this.tell({ answer: '' });
      this.close();
    }
  }

  /** Sends an event, as JSON; audio in it is played. */
  send(event: string): void {
    const about = ABOUT_SOUND.test(event) ? (JSON.parse(event) as SoundEvent) : undefined;
    if (about?.type === 'response.output_audio.delta') {
      // Copied, since samples begin at even addresses.
      const { buffer, length } = new Uint8Array(Buffer.from(about.delta, 'base64'));
      return this.spoken.add(new Int16Array(buffer, 0, length >> 1), about.response_id);
    }
    this.transmit(event);
    // Not before it is known whether it was cancelled.
    if (about?.response.status === 'cancelled') this.spoken.cut(about.response.id);
    else if (about) this.spoken.end(about.response.id);
  }

  /** Ends the call once what was sent has left, or soon. */
  async end(): Promise<void> {
    await until(() => !this.channel || this.channel.bufferedAmount === 0, FLUSH_MS);
    // What has left the buffer is still on its way.
    await delay(STEP_MS);
    this.close();
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    clearInterval(this.steps);
    clearInterval(this.watching);
    this.sink?.stop();
    this.track.stop();
    this.peer.close();
    this.tell({ closed: true });
  }

  private async negotiate(sdp: string): Promise<string> {
    const { peer, track, wrtc } = this;
    this.watching = setInterval(() => void this.watch(), WATCH_MS);
    peer.addTrack(track, new wrtc.MediaStream());
    await peer.setRemoteDescription({ type: 'offer', sdp });
    await peer.setLocalDescription(await peer.createAnswer());
    if (this.isClosed) throw new Error('Closed');
    this.sink = new wrtc.nonstandard.RTCAudioSink(peer.getTransceivers()[0]!.receiver.track);
    this.sink.dispatchEvent = (sound) => this.heard.add(sound);
    this.steps = setInterval(() => this.spoken.advance(performance.now()), STEP_MS);
    await until(() => peer.iceGatheringState === 'complete', GATHERING_MS);
    return peer.localDescription!.sdp;
  }

  /** Closes it if its client is gone, or does not connect. */
  private async watch(): Promise<void> {
    const stats = await this.peer.getStats().catch(() => new Map<string, PeerStats>());
    let received = 0;
    for (const { packetsReceived = 0, requestsReceived = 0, responsesReceived = 0 } of stats.values())
      received += packetsReceived + requestsReceived + responsesReceived;
    const now = performance.now();
    if (this.channel && received !== this.received) this.receivedAt = now;
    this.received = received;
    if (now - this.receivedAt > (this.channel ? SILENT_MS : CONNECTING_MS)) this.close();
  }

  private onChannel(channel: DataChannel): void {
    if (this.channel || this.isClosed || channel.label !== 'oai-events') return channel.close();
    this.channel = channel;
    this.receivedAt = performance.now();
    channel.addEventListener('message', ({ data }) => this.receive(data));
    channel.addEventListener('close', () => this.close());
    this.tell({ opened: true });
  }

  private receive(data: unknown): void {
    // What a client says comes by its track alone.
    if (this.isClosed || typeof data !== 'string') return;
    if (data.length > MESSAGE_LIMIT) return this.close();
    if (data.length < 1000 && CLEAR.test(data)) this.spoken.cut();
    this.tell({ event: data });
  }

  private report(what: string, response_id: string): void {
    const event_id = `event_sound_${++this.reports}_${response_id}`;
    this.transmit(JSON.stringify({ type: `output_audio_buffer.${what}`, event_id, response_id }));
  }

  private transmit(event: string): void {
    if (this.isClosed || this.channel?.readyState !== 'open') return;
    this.channel.send(event);
    if (this.channel.bufferedAmount > UNSENT_LIMIT) this.close();
  }
}

/** Resolves when a condition holds, or its time is over. @param ms milliseconds */
async function until(holds: () => boolean, ms: number): Promise<void> {
  for (let waited = 0; !holds() && waited < ms; waited += STEP_MS) await delay(STEP_MS);
}
