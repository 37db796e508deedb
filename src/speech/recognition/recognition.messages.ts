/** From the service to its recognition process. */
export type RecognitionOrder = { id: number; recording: Uint8Array } | { cancel: number };

/** From the recognition process: it is ready, works on a recording, or is done with it. */
export type RecognitionReport = 'ready' | { at: number } | { id: number; text: string };
