import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { parseScript } from '../format/faults.js';
import { ScriptError, ScriptFile } from '../format/script-file.js';
import { CompiledScript } from './compiled-script.js';
import { LanguageBook } from './language-book.js';

const LANGUAGE_FILE = /^[a-z]{2,3}(?:-[a-z0-9]{2,8})*\.jsonl$/i;
const OLD_FILE = /^[a-z]{2,3}(?:-[a-z0-9]{2,8})*\.json$/i;
const MOST_BYTES = 4_000_000;
/** The folders of a collection that belong to every script. */
export const SHARED = 'shared';
export const CARE = 'care';

/** A script by language code, in lower case; each language is read when it is needed first. */
export interface Script {
  readonly languages: readonly string[];
  /** @throws ScriptError if the file of the language cannot be used */
  in(language: string): CompiledScript;
}

/** Reads scripts from their folders, with what a collection of scripts gives to all. What all have is read once. */
export class ScriptReader {
  private readonly collection: string;
  private readonly books = new Map<string, { readonly book: LanguageBook; readonly state: string }>();

  /** @param collection a folder with the folders `shared` and `care` */
  constructor(collection: string) {
    this.collection = resolve(collection);
  }

  /**
   * A script. One of the collection is known to be good: each of its languages is read when it is needed.
   *
   * @throws ScriptError as {@link read}, if it stands elsewhere
   */
  open(folder: string): Script {
    if (dirname(resolve(folder)) !== this.collection) return this.read(folder);
    const missing = missingLanguage(folder);
    if (missing) throw new ScriptError([missing]);
    return this.openLazily(folder);
  }

  private openLazily(folder: string): Script {
    const files = new Map(languageFiles(folder).map((file) => [basename(file, '.jsonl').toLowerCase(), file]));
    const made = new Map<string, CompiledScript>();
    const isShared = resolve(folder) === join(this.collection, SHARED);
    return {
      languages: [...files.keys()],
      in: (language) => {
        const script =
          made.get(language) ??
          new CompiledScript(
            () => (isShared ? { intents: [] } : readFile(join(folder, files.get(language)!))),
            this.bookOf(language),
          );
        made.set(language, script);
        return script;
      },
    };
  }

  /**
   * A script that has been read and checked in all its languages.
   *
   * @throws ScriptError with the faults of all its files
   */
  read(folder: string): Script {
    const script = this.openLazily(folder);
    const faults: string[] = script.languages.length > 0 ? [] : [noLanguage(folder)];
    for (const language of script.languages) {
      try {
        script.in(language).check();
      } catch (error) {
        if (!(error instanceof ScriptError)) throw error;
        faults.push(...error.faults.map((fault) => (fault.includes('.jsonl') ? fault : `${language}.jsonl: ${fault}`)));
      }
    }
    if (faults.length > 0) throw new ScriptError(faults);
    return script;
  }

  /** Changes with the files of a script and those for all scripts. */
  stateOf(folder: string): string {
    return [folder, join(this.collection, SHARED), join(this.collection, CARE)].map(stateOf).join('\n');
  }

  private bookOf(code: string): LanguageBook {
    const files = [SHARED, CARE].map((name) => {
      const folder = join(this.collection, name);
      const known = languageFiles(folder);
      const file = languagesLike(code).flatMap(
        (like) => known.find((one) => one.toLowerCase() === `${like}.jsonl`) ?? [],
      )[0];
      return file && join(folder, file);
    });
    const state = files.map((file) => file && `${statSync(file).mtimeMs} ${statSync(file).size}`).join(' ');
    const kept = this.books.get(code);
    if (kept?.state === state) return kept.book;
    const [shared, care] = files;
    const book = new LanguageBook(code, {
      ...(shared && { shared: () => readFile(shared) }),
      ...(care && { care: () => readFile(care, true) }),
    });
    this.books.set(code, { book, state });
    return book;
  }
}

/**
 * Compiles a script of one language.
 *
 * @param text as it stands in the file
 * @throws ScriptError with every fault
 */
export function compileScript(text: string, book = new LanguageBook('en')): CompiledScript {
  const script = new CompiledScript(() => parseScript(text), book);
  script.check();
  return script;
}

/** What is wrong with a folder that has no file for any language; undefined if it has one. */
export function missingLanguage(folder: string): string | undefined {
  return languageFiles(folder).length > 0 ? undefined : noLanguage(folder);
}

function noLanguage(folder: string): string {
  const old = filesOf(folder).find((name) => OLD_FILE.test(name));
  return old
    ? `${old} is of an earlier format: scripts are JSON Lines now, one intent a line, in ${old}l`
    : 'there is no file named after a language, such as en.jsonl';
}

/** The language itself, then wider ones: `zh-hant-tw`, `zh-hant`, `zh`. */
export function languagesLike(language: string): string[] {
  const parts = language.toLowerCase().split(/[-_]/);
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('-'));
}

function stateOf(folder: string): string {
  return languageFiles(folder)
    .map((name) => join(folder, name))
    .map((file) => `${file} ${statSync(file).mtimeMs} ${statSync(file).size}`)
    .join('\n');
}

function languageFiles(folder: string): string[] {
  return filesOf(folder).filter((name) => LANGUAGE_FILE.test(name));
}

function filesOf(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function readFile(path: string, mayRepeat = false): ScriptFile {
  const name = basename(path);
  const text = textOf(path, name);
  try {
    return parseScript(text, mayRepeat);
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    throw new ScriptError(error.faults.map((fault) => `${name}: ${fault}`));
  }
}

function textOf(path: string, name: string): string {
  if (statSync(path).size > MOST_BYTES) throw new ScriptError([`${name}: is larger than ${MOST_BYTES} bytes`]);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch {
    throw new ScriptError([`${name}: is not UTF-8, or cannot be read`]);
  }
}
