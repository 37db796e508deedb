/**
 * Speech synthesis or recognition failed. `message` is safe to show: it is always this service's own, never a
 * provider's, which may quote keys, URLs and users.
 */
export class SpeechError extends Error {
  readonly code = 'speech_failed';

  constructor(message = 'The speech could not be processed.') {
    super(message);
    this.name = 'SpeechError';
  }
}

/** A recording cannot be transcribed now; a later retry may succeed. */
export class SpeechBusyError extends SpeechError {
  constructor(message = 'Too many recordings are to be transcribed at once.') {
    super(message);
  }
}
