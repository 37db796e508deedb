import { basename } from 'node:path';
import type { Script, ScriptReader } from './script-reader.js';

const CHECK_EVERY_MS = 2_000;

/** Opens scripts once, and again if a file has changed. */
export class ScriptLibrary {
  private readonly kept = new Map<string, { script: Script; state: string; checked: number }>();

  /** @param report is told of edited files that cannot be used */
  constructor(
    private readonly reader: ScriptReader,
    private readonly report: (fault: string) => void = () => undefined,
  ) {}

  /** The script in a folder. While an edited file has faults, the script stays as it was. */
  open(folder: string, now = performance.now()): Script {
    const kept = this.kept.get(folder);
    if (kept && now - kept.checked < CHECK_EVERY_MS) return kept.script;
    const state = this.reader.stateOf(folder);
    if (kept?.state === state) {
      kept.checked = now;
      return kept.script;
    }
    const script = kept ? this.openAgain(folder, kept.script) : this.reader.open(folder);
    this.kept.set(folder, { script, state, checked: now });
    return script;
  }

  private openAgain(folder: string, before: Script): Script {
    try {
      return this.reader.read(folder);
    } catch (error) {
      this.report(
        `The script ${basename(folder)} has changed and cannot be used; it stays as it was. ${(error as Error).message}`,
      );
      return before;
    }
  }
}
