import { basename } from 'node:path';
import type { Script, ScriptReader } from './reader.js';

const CHECK_EVERY_MS = 2_000;

/** Opens scripts once, and again when a file has changed. */
export class ScriptLibrary {
  private readonly kept = new Map<string, { script: Script; state: string; checked: number }>();

  /** @param report is told of edited files that cannot be used */
  constructor(
    private readonly reader: ScriptReader,
    private readonly report: (fault: string) => void = () => undefined,
  ) {}

  /**
   * The script in a folder. While an edited file has faults, the script stays as it was.
   *
   * @throws ScriptError if it was never good
   */
  open(folder: string, now = performance.now()): Script {
    const kept = this.kept.get(folder);
    if (kept && now - kept.checked < CHECK_EVERY_MS) return kept.script;
    const state = this.reader.stateOf(folder);
    if (kept?.state === state) {
      kept.checked = now;
      return kept.script;
    }
    const script = this.readAgain(folder, state, kept?.script);
    this.kept.set(folder, { script, state, checked: now });
    return script;
  }

  /** Reads a script that has not been opened yet, with time for other work. {@link open} tells of its faults. */
  async readAhead(folder: string): Promise<void> {
    if (!this.kept.has(folder)) await this.reader.readAhead(folder).catch(() => undefined);
  }

  private readAgain(folder: string, state: string, before: Script | undefined): Script {
    try {
      return before ? this.reader.read(folder, state) : this.reader.open(folder, state);
    } catch (error) {
      if (!before) throw error;
      this.report(
        `The script ${basename(folder)} has changed and cannot be used; it stays as it was. ${(error as Error).message}`,
      );
      return before;
    }
  }
}
