/** What is used of `@roamhq/wrtc`, whose own types need those of browsers. */
export interface Wrtc {
  readonly RTCPeerConnection: new (configuration: object) => PeerConnection;
  readonly MediaStream: new () => object;
  readonly nonstandard: {
    readonly RTCAudioSource: new () => { createTrack(): Track; onData(sound: Sound): void };
    readonly RTCAudioSink: new (track: Track) => AudioSink;
  };
}

export interface AudioSink {
  /** Called 100 times a second; the library's own defers each sound to a tick, with new sets of listeners. */
  dispatchEvent: (sound: Sound) => void;
  stop(): void;
}

/** 10 ms of audio. */
export interface Sound {
  readonly samples: Int16Array;
  readonly sampleRate: number;
  readonly channelCount?: number;
}

type Track = { stop(): void };
type Description = { readonly type: string; readonly sdp: string };
export type PeerStats = Partial<Record<'packetsReceived' | 'requestsReceived' | 'responsesReceived', number>>;

export interface PeerConnection {
  readonly connectionState: string;
  readonly iceGatheringState: string;
  readonly localDescription: Description | null;
  onconnectionstatechange: (() => unknown) | null;
  ondatachannel: ((event: { channel: DataChannel }) => void) | null;
  addTrack(track: Track, stream: object): void;
  createAnswer(): Promise<Description>;
  setLocalDescription(description: Description): Promise<void>;
  setRemoteDescription(description: Description): Promise<void>;
  getTransceivers(): { readonly receiver: { readonly track: Track } }[];
  getStats(): Promise<Map<string, PeerStats>>;
  close(): void;
}

export interface DataChannel {
  readonly label: string;
  readonly readyState: string;
  readonly bufferedAmount: number;
  addEventListener(type: 'message' | 'close', listener: (event: { data: unknown }) => void): void;
  send(data: string): void;
  close(): void;
}

export const PACKAGE = '@roamhq/wrtc';

/** @throws Error if the package, or its binary for this system, is not installed */
export async function loadWrtc(): Promise<Wrtc> {
  return ((await import(PACKAGE)) as { default: Wrtc }).default;
}
