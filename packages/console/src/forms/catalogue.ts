import { type Api, ApiError } from '../core/api.js';
import { t } from '../core/translate.js';
import type { Fault } from './schema-form.js';
import { isSame, type Schema } from './schema.js';

const ATTEMPTS = 5;

export type Entry = Record<string, unknown>;
type List = 'avatars' | 'projects';
const IDS = { avatars: '_id', projects: 'project_id' } as const;

interface CatalogueFile {
  avatars: Entry[];
  languages: { language_code: string; name: string }[];
  projects: Entry[];
}

/** Somebody else has changed the same fields in the meantime. */
export class ConflictError extends Error {
  constructor(
    /** The entry as it is now. */
    readonly theirs: Entry,
    readonly fields: readonly string[],
  ) {
    super(t('Somebody else has changed this in the meantime. Your text is kept.'));
  }
}

/** Faults of an entry that is not applied. */
export class FaultsError extends Error {
  constructor(readonly faults: readonly Fault[]) {
    super(t('Please correct what is marked.'));
  }
}

/** The catalogue as it was read, and its rules. */
export class Catalogue {
  private constructor(
    private readonly api: Api,
    private readonly schema: Schema,
    private file: CatalogueFile,
    private tag: string | null,
  ) {}

  static async load(api: Api): Promise<Catalogue> {
    const [schema, { file, tag }] = await Promise.all([api.json<Schema>('catalogue/schema'), read(api)]);
    return new Catalogue(api, schema, file, tag);
  }

  entries(list: List): readonly Entry[] {
    return this.file[list];
  }

  find(list: List, id: unknown): Entry | undefined {
    return this.file[list].find((entry) => entry[IDS[list]] === id);
  }

  get languages(): readonly string[] {
    return this.file.languages.map(({ language_code }) => language_code);
  }

  /** The rules of an entry. */
  rulesOf(list: List): Schema {
    return this.schema.properties![list]!.items!;
  }

  /**
   * Applies what has been changed of an entry. What others have changed in the meantime stays.
   *
   * @param before the entry as it was read; undefined for a new one
   * @param own the fields that the form has changed; omitted ones are undefined
   * @returns the entry as it is now
   * @throws ConflictError, FaultsError, ApiError
   */
  async save(list: List, before: Entry | undefined, own: Entry): Promise<Entry> {
    const id = own[IDS[list]] ?? before?.[IDS[list]];
    for (let attempt = 1; ; attempt++) {
      const entry = merged(before, this.find(list, id), own);
      try {
        const headers: Record<string, string> = this.tag === null ? {} : { 'If-Match': this.tag };
        await this.api.json('catalogue', { method: 'PUT', headers, body: { [list]: [entry] } });
        await this.reload();
        return this.find(list, id) ?? entry;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (error.code === 'invalid_catalogue') throw new FaultsError(await this.check(list, entry));
        if (error.code !== 'catalogue_changed' || attempt === ATTEMPTS) throw error;
        await this.reload();
      }
    }
  }

  /** The faults of an entry. @throws ApiError */
  async check(list: List, entry: Entry): Promise<readonly Fault[]> {
    const body = { [list]: [entry] };
    return (await this.api.json<{ faults: Fault[] }>('catalogue/check', { method: 'POST', body })).faults;
  }

  private async reload(): Promise<void> {
    ({ file: this.file, tag: this.tag } = await read(this.api));
  }
}

async function read(api: Api): Promise<{ file: CatalogueFile; tag: string | null }> {
  const response = await api.open('catalogue');
  return { file: (await response.json()) as CatalogueFile, tag: response.headers.get('ETag') };
}

/** The fields that differ; omitted ones are undefined. */
export function changesOf(before: Entry = {}, after: Entry): Entry {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return Object.fromEntries(
    names.filter((name) => !isSame(before[name], after[name])).map((name) => [name, after[name]]),
  );
}

/** The entry with one's own changes. @throws ConflictError */
function merged(before: Entry | undefined, now: Entry | undefined, own: Entry): Entry {
  if (!now && before) throw new Error(t('Somebody else has removed this in the meantime. Your text is kept.'));
  const theirs = now ? changesOf(before, now) : {};
  const lists: Entry = {};
  const fields = Object.keys(own).filter((name) => {
    if (!(name in theirs) || isSame(own[name], theirs[name])) return false;
    lists[name] = listOf(before?.[name], theirs[name], own[name]);
    return lists[name] === undefined;
  });
  if (fields.length > 0) throw new ConflictError(now!, fields);
  return { ...now, ...own, ...lists };
}

/** One's own changes, which win over theirs. Of lists of named items, what only they have changed stays. */
export function preferred(before: Entry = {}, theirs: Entry, own: Entry): Entry {
  const fields = Object.entries(own);
  return Object.fromEntries(
    fields.map(([name, value]) => [name, listOf(before[name], theirs[name], value, true) ?? value]),
  );
}

/** A list of named items with the changes of both; undefined if it is none, or both changed the same item. */
function listOf(before: unknown, theirs: unknown, own: unknown, isOwnPreferred = false): Entry[] | undefined {
  const [old, other, mine] = [byName(before), byName(theirs), byName(own)];
  if (!old || !other || !mine) return undefined;
  const items: (Entry | undefined)[] = [];
  for (const name of new Set([...mine.keys(), ...other.keys()])) {
    const [was, their, its] = [old.get(name), other.get(name), mine.get(name)];
    const isMine = !isSame(was, its);
    if (isMine && !isOwnPreferred && !isSame(was, their) && !isSame(its, their)) return undefined;
    items.push(isMine ? its : their);
  }
  return items.filter((item) => item !== undefined);
}

/** The items of a list by their names; undefined if it has others, or two of a name. */
function byName(list: unknown = []): Map<string, Entry> | undefined {
  if (!Array.isArray(list)) return undefined;
  const items = (list as (Entry | null)[]).map((item) => [item?.name, item] as const);
  const found = new Map(items.filter((item): item is [string, Entry] => typeof item[0] === 'string'));
  return found.size === list.length ? found : undefined;
}
