import { existsSync } from 'node:fs';

/** Programs that a worker thread or child process runs, by their path in this package. */
export type ProgramName =
  | 'audio/decoding.worker.js'
  | 'espeak/espeak.worker.js'
  | 'llama/llama.worker.js'
  | 'models/model.install.worker.js'
  | 'piper/piper.worker.js'
  | 'recognition/recognition.worker.js'
  | 'recognition/turns/smart-turn.worker.js'
  | 'video/video.worker.js';

/** The compiled program; if this file is TypeScript, as under Jest, in the build output. @returns undefined if there is none */
export function compiledProgram(name: ProgramName): URL | undefined {
  const beside = new URL(`../${name}`, import.meta.url);
  const parts = beside.href.split('/');
  const at = parts.lastIndexOf('src');
  const built = at < 0 ? [] : [new URL(parts.with(at, 'dist').join('/'))];
  return [beside, ...built].find((url) => existsSync(url));
}
