import { compiledProgram } from 'avatar-chat-runtime/processes';

/** Installs a model, named after the directory of models in its arguments. @returns undefined if it is not compiled */
export function installProgram(): URL | undefined {
  return compiledProgram(new URL('model.install.worker.js', import.meta.url));
}
