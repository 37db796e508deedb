/**
 * Speech could not be made or understood. `message` is safe to show: it is one of this service's own sentences, never a
 * provider's, for those may quote keys, addresses and what the user said.
 */
export class SpeechError extends Error {
  readonly code = 'speech_failed';

  constructor(message = 'The speech could not be processed.') {
    super(message);
    this.name = 'SpeechError';
  }
}

/** Too many recordings are being transcribed; later there may be room. */
export class SpeechBusyError extends SpeechError {
  constructor() {
    super('Too many recordings are to be transcribed at once.');
  }
}
