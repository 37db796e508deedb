import { compiledProgram } from 'avatar-chat-runtime/processes';

/** Programs that a worker thread or child process runs, by their path in this package. */
type ProgramName =
  | 'audio/decoding.worker.js'
  | 'espeak/espeak.worker.js'
  | 'piper/piper.worker.js'
  | 'recognition/recognition.worker.js'
  | 'recognition/turns/smart-turn.worker.js';

/** @returns undefined if it is not compiled */
export function mediaProgram(name: ProgramName): URL | undefined {
  return compiledProgram(new URL(name, import.meta.url));
}
