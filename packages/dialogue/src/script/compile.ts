import { phraseFaults, scriptFaults, sharedFaults } from '../format/faults.js';
import { CompiledScript, LanguageFiles, Script } from './compiled.js';
import { ScriptError, ScriptFile } from '../format/script-file.js';

/** @throws ScriptError with every fault of the files */
export function compileScript(script: unknown, files: LanguageFiles = {}): CompiledScript {
  const { phrases, shared } = files;
  const shape = [
    ...(phrases === undefined ? [] : phraseFaults(phrases).map((fault) => `phrases: ${fault}`)),
    ...(shared === undefined ? [] : sharedFaults(shared).map((fault) => `shared: ${fault}`)),
    ...scriptFaults(script, shared),
  ];
  if (shape.length > 0) throw new ScriptError(shape);
  const faults: string[] = [];
  const checked = new Script(() => script as ScriptFile, files, faults);
  void [checked.rules, checked.knowledge];
  if (faults.length > 0) throw new ScriptError(faults);
  return checked;
}

/** A script whose files are known to be good. */
export function openScript(read: () => unknown, files: LanguageFiles): CompiledScript {
  return new Script(read as () => ScriptFile, files);
}
