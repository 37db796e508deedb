import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { compileScript, openScript } from './compile.js';
import { CompiledScript, LanguageFiles } from './compiled.js';
import { inSlices } from '../match/slices.js';
import { ScriptError } from '../format/script-file.js';

/** A script by language code, in lower case. */
export type Script = ReadonlyMap<string, CompiledScript>;

const LANGUAGE_FILE = /^[a-z]{2,3}(?:-[a-z0-9]{2,8})*\.json$/i;
const MOST_BYTES = 4_000_000;
const MOST_SCRIPTS = 64;
export const NO_LANGUAGE = 'there is no file named after a language, such as en.json';

/** Scripts as far as they have been read, which takes a while, with the state of the files that they come from. */
interface Read {
  readonly script: Map<string, CompiledScript>;
  readonly state: string;
}

/**
 * Reads scripts from their folders, with what a collection of scripts gives to all: its folders `phrases` and `shared` have
 * a file for each language. What has been read is kept.
 */
export class ScriptReader {
  private readonly checked = new Map<string, Read>();
  private readonly own = new Map<string, Read>();
  /** The same object for each script, so that what is compiled for one serves the next. */
  private readonly sharedFiles = new Map<string, { content: unknown; mtimeMs: number }>();

  private readonly collection: string;

  /** @param collection a folder whose scripts are known to be good, with `phrases` and `shared` beside them */
  constructor(collection: string) {
    this.collection = resolve(collection);
  }

  /**
   * Reads all languages of a script, anew only if its files have changed.
   *
   * @throws ScriptError with the faults of all its files
   */
  read(folder: string, state = this.stateOf(folder)): Script {
    const script = begun(this.checked, folder, state);
    const faults: string[] = [];
    for (const file of languageFiles(folder)) {
      try {
        this.readInto(script, folder, file, readAndCompile);
      } catch (error) {
        if (!(error instanceof ScriptError)) throw error;
        faults.push(...error.faults.map((fault) => `${file}: ${fault}`));
      }
    }
    if (faults.length === 0 && script.size === 0) faults.push(NO_LANGUAGE);
    if (faults.length > 0) throw new ScriptError(faults);
    return script;
  }

  /** Reads a script: one of the collection without checks, and each part of it when it is needed. */
  open(folder: string, state = this.stateOf(folder)): Script {
    if (!this.isOfCollection(folder)) return this.read(folder, state);
    const script = begun(this.own, folder, state);
    for (const file of languageFiles(folder)) this.readInto(script, folder, file, openScript);
    if (script.size === 0) throw new ScriptError([NO_LANGUAGE]);
    return script;
  }

  /** Reads one language of a script after the other, with time for other work in between. Ends at the first that has faults. */
  async readAhead(folder: string): Promise<void> {
    const [scripts, make] = this.isOfCollection(folder) ? [this.own, openScript] : [this.checked, readAndCompile];
    const script = begun(scripts, folder, this.stateOf(folder));
    for (const file of languageFiles(folder))
      await inSlices(this.preparing(() => this.readInto(script, folder, file, make)));
  }

  private *preparing(read: () => CompiledScript): Generator<void, void, void> {
    const script = read();
    yield;
    yield* script.prepareForOthers();
  }

  /** What all scripts of a language have. */
  filesFor(language: string): LanguageFiles {
    return { language, phrases: this.sharedJson('phrases', language), shared: this.sharedJson('shared', language) };
  }

  /** Changes with the files of a script and those for all scripts. */
  stateOf(folder: string): string {
    const files = [folder, join(this.collection, 'phrases'), join(this.collection, 'shared')].flatMap((parent) =>
      languageFiles(parent).map((name) => join(parent, name)),
    );
    return files.map((file) => `${file} ${statSync(file).mtimeMs} ${statSync(file).size}`).join('\n');
  }

  private isOfCollection(folder: string): boolean {
    return dirname(resolve(folder)) === this.collection;
  }

  private readInto(
    script: Map<string, CompiledScript>,
    folder: string,
    file: string,
    make: (read: () => unknown, files: LanguageFiles) => CompiledScript,
  ): CompiledScript {
    const language = basename(file, '.json').toLowerCase();
    const made = script.get(language) ?? make(() => readJson(join(folder, file)), this.filesFor(language));
    script.set(language, made);
    return made;
  }

  private sharedJson(folder: string, language: string): unknown {
    const files = languageFiles(join(this.collection, folder));
    const file = languagesLike(language).flatMap(
      (code) => files.find((name) => name.toLowerCase() === `${code}.json`) ?? [],
    )[0];
    if (!file) return undefined;
    const path = join(this.collection, folder, file);
    const { mtimeMs } = statSync(path);
    const kept = this.sharedFiles.get(path);
    if (kept?.mtimeMs === mtimeMs) return kept.content;
    const content = readJson(path);
    this.sharedFiles.set(path, { content, mtimeMs });
    return content;
  }
}

/** Whether a folder has a file for any language. */
export function hasLanguages(folder: string): boolean {
  return languageFiles(folder).length > 0;
}

/** The language itself, then wider ones: `zh-hant-tw`, `zh-hant`, `zh`. */
export function languagesLike(language: string): string[] {
  const parts = language.toLowerCase().split(/[-_]/);
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('-'));
}

function begun(scripts: Map<string, Read>, folder: string, state: string): Map<string, CompiledScript> {
  const known = scripts.get(folder);
  if (known?.state === state) return known.script;
  if (scripts.size >= MOST_SCRIPTS) scripts.clear();
  const script = new Map<string, CompiledScript>();
  scripts.set(folder, { script, state });
  return script;
}

function readAndCompile(read: () => unknown, files: LanguageFiles): CompiledScript {
  return compileScript(read(), files);
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
