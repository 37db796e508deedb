/** How peer connections are set up. */
export interface PeerOptions {
  /** UDP ports for ICE. */
  readonly ports: { readonly min: number; readonly max: number };
}

/** What becomes of a call. `answer` is empty if there is none to its offer; `audio` is 40 ms of what the client says, 16-bit mono at 24 kHz; `event` is JSON. */
export type Report =
  | { readonly answer: string }
  | { readonly opened: true }
  | { readonly event: string }
  | { readonly audio: Uint8Array }
  | { readonly pong: true }
  | { readonly closed: true };

/** What a call is told; `gently`: once what was sent has left. */
export type Command =
  | { readonly offer: string; readonly options: PeerOptions }
  | { readonly event: string }
  | { readonly ping: true }
  | { readonly end: 'gently' | 'now' };

/** What the process of calls tells the service, and what it is told, each about one call. */
export type FromProcess = Report & { readonly call: string };
export type ToProcess = Command & { readonly call: string };
