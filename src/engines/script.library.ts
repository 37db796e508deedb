import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { compileScript, openScript } from './script.compile.js';
import { CompiledScript, LanguageFiles } from './script.compiled.js';
import { ScriptError } from './script.format.js';
import { loggerOf } from '../platform/logging/index.js';

/** A script by language code, in lower case. */
export type Script = ReadonlyMap<string, CompiledScript>;

// The same from src and from dist.
export const SHIPPED_SCRIPTS = fileURLToPath(new URL('../../catalogue/scripts', import.meta.url));
const LANGUAGE_FILE = /^[a-z]{2,3}(?:-[a-z0-9]{2,8})*\.json$/i;
const MOST_BYTES = 4_000_000;
const CHECK_EVERY_MS = 2_000;
const MOST_SCRIPTS = 64;
export const NO_LANGUAGE = 'there is no file named after a language, such as en.json';

/** Scripts as far as they have been read, which takes a while, with the state of the files that they come from. */
interface Read {
  readonly script: Map<string, CompiledScript>;
  readonly state: string;
}
/** Of those that were checked; of shipped ones, which the tests check. */
const checkedScripts = new Map<string, Read>();
const shippedScripts = new Map<string, Read>();

/** Files for all scripts: the same object for each, so that what is compiled for one serves the next. */
const sharedFiles = new Map<string, { content: unknown; mtimeMs: number }>();

/** Reads scripts from their folders, once, and again when a file has changed. */
export class ScriptLibrary {
  private readonly logger = loggerOf(ScriptLibrary.name);
  private readonly kept = new Map<string, { script: Script; state: string; checked: number }>();

  /**
   * The script in a folder. While an edited file has faults, the script stays as it was.
   *
   * @throws ScriptError if it was never good
   */
  open(folder: string, now = performance.now()): Script {
    const kept = this.kept.get(folder);
    if (kept && now - kept.checked < CHECK_EVERY_MS) return kept.script;
    const state = stateOf(folder);
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
    if (!this.kept.has(folder)) await readScriptAhead(folder).catch(() => undefined);
  }

  private readAgain(folder: string, state: string, before: Script | undefined): Script {
    try {
      return !before && isShipped(folder) ? readShipped(folder, state) : readScript(folder, state);
    } catch (error) {
      if (!before) throw error;
      this.logger.error(
        `The script ${basename(folder)} has changed and cannot be used; it stays as it was. ${(error as Error).message}`,
      );
      return before;
    }
  }
}

/**
 * Reads all languages of a script, anew only if its files have changed.
 *
 * @throws ScriptError with the faults of all its files
 */
export function readScript(folder: string, state = stateOf(folder)): Script {
  const script = begun(checkedScripts, folder, state);
  const faults: string[] = [];
  for (const file of languageFiles(folder)) {
    try {
      readInto(script, folder, file, readAndCompile);
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      faults.push(...error.faults.map((fault) => `${file}: ${fault}`));
    }
  }
  if (faults.length === 0 && script.size === 0) faults.push(NO_LANGUAGE);
  if (faults.length > 0) throw new ScriptError(faults);
  return script;
}

/** A shipped script, of which each part is made when it is needed. */
function readShipped(folder: string, state: string): Script {
  const script = begun(shippedScripts, folder, state);
  for (const file of languageFiles(folder)) readInto(script, folder, file, openScript);
  if (script.size === 0) throw new ScriptError([NO_LANGUAGE]);
  return script;
}

/** Reads one language of a script after the other, with time for other work in between. Ends at the first that has faults. */
export async function readScriptAhead(folder: string): Promise<void> {
  const [scripts, make] = isShipped(folder) ? [shippedScripts, openScript] : [checkedScripts, readAndCompile];
  const script = begun(scripts, folder, stateOf(folder));
  for (const file of languageFiles(folder)) {
    await setImmediate();
    readInto(script, folder, file, make).prepareForOthers();
  }
}

function isShipped(folder: string): boolean {
  return dirname(folder) === SHIPPED_SCRIPTS;
}

/** Whether a folder has a file for any language. */
export function hasLanguages(folder: string): boolean {
  return languageFiles(folder).length > 0;
}

function begun(scripts: Map<string, Read>, folder: string, state: string): Map<string, CompiledScript> {
  const known = scripts.get(folder);
  if (known?.state === state) return known.script;
  if (scripts.size >= MOST_SCRIPTS) scripts.clear();
  const script = new Map<string, CompiledScript>();
  scripts.set(folder, { script, state });
  return script;
}

function readInto(
  script: Map<string, CompiledScript>,
  folder: string,
  file: string,
  make: (read: () => unknown, files: LanguageFiles) => CompiledScript,
): CompiledScript {
  const language = basename(file, '.json').toLowerCase();
  const made = script.get(language) ?? make(() => readJson(join(folder, file)), filesFor(language));
  script.set(language, made);
  return made;
}

function readAndCompile(read: () => unknown, files: LanguageFiles): CompiledScript {
  return compileScript(read(), files);
}

/** What all scripts of a language have. */
export function filesFor(language: string): LanguageFiles {
  return { language, phrases: sharedJson('phrases', language), shared: sharedJson('shared', language) };
}

function sharedJson(folder: string, language: string): unknown {
  const files = languageFiles(join(SHIPPED_SCRIPTS, folder));
  const file = languagesLike(language).flatMap(
    (code) => files.find((name) => name.toLowerCase() === `${code}.json`) ?? [],
  )[0];
  if (!file) return undefined;
  const path = join(SHIPPED_SCRIPTS, folder, file);
  const { mtimeMs } = statSync(path);
  const kept = sharedFiles.get(path);
  if (kept?.mtimeMs === mtimeMs) return kept.content;
  const content = readJson(path);
  sharedFiles.set(path, { content, mtimeMs });
  return content;
}

/** The language itself, then wider ones: `zh-hant-tw`, `zh-hant`, `zh`. */
export function languagesLike(language: string): string[] {
  const parts = language.toLowerCase().split(/[-_]/);
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('-'));
}

function languageFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => LANGUAGE_FILE.test(name))
      .sort();
  } catch {
    return [];
  }
}

function readJson(path: string): unknown {
  const name = join(basename(dirname(path)), basename(path));
  if (statSync(path).size > MOST_BYTES) throw new ScriptError([`${name} is larger than ${MOST_BYTES} bytes`]);
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    throw new ScriptError([`${name} is not JSON in UTF-8, or cannot be read`]);
  }
}

function stateOf(folder: string): string {
  const files = [folder, join(SHIPPED_SCRIPTS, 'phrases'), join(SHIPPED_SCRIPTS, 'shared')].flatMap((parent) =>
    languageFiles(parent).map((name) => join(parent, name)),
  );
  return files.map((file) => `${file} ${statSync(file).mtimeMs} ${statSync(file).size}`).join('\n');
}
