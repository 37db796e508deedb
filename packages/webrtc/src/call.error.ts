/** Why a call cannot begin: its offer is wrong, or calls are impossible, at all or at the moment. */
export class CallError extends Error {
  constructor(
    readonly code: 'invalid_offer' | 'webrtc_unavailable' | 'service_unavailable',
    message: string,
  ) {
    super(message);
    this.name = 'CallError';
  }
}
