import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { CATALOGUE_FILE_SCHEMA, NOT_BLANK } from './catalogue.file.schema.js';
import { openIdentities, sharedIdentities } from './catalogue.identity.js';
import {
  type CatalogueChange,
  type Avatar,
  type Catalogue,
  DEFAULT_SETTINGS,
  type Language,
  type Project,
  type Settings,
  withoutSecrets,
} from './catalogue.types.js';

/** A fault in a catalogue file: its path (`projects[0].avatars[2]`) and what is wrong there. */
export interface CatalogueFault {
  place: string;
  problem: string;
}

/** Faults of an entry such as `model: must be a text`, at their paths in the file. */
export function faultsAt(entry: string, faults: readonly string[]): CatalogueFault[] {
  return faults.map((fault) => {
    const end = fault.indexOf(': ');
    return { place: `${entry}.${fault.slice(0, end)}`, problem: fault.slice(end + 2) };
  });
}

/** A catalogue file that cannot be applied. The message lists every fault, one per line. */
export class CatalogueFileError extends Error {
  constructor(readonly faults: readonly CatalogueFault[]) {
    super(
      ['The catalogue cannot be used:', ...faults.map(({ place, problem }) => `  ${place}: ${problem}`)].join('\n'),
    );
    this.name = 'CatalogueFileError';
  }
}

/** A catalogue file before defaults apply: a project's policy and settings may be omitted. */
interface CatalogueFile {
  avatars?: Avatar[];
  languages?: Language[];
  projects?: (Pick<Project, 'project_id' | 'avatars' | 'languages'> & {
    token_policy?: Project['token_policy'];
    identity?: Project['identity'];
    settings?: Partial<Settings>;
    speech?: Project['speech'];
    video?: Project['video'];
    handover?: Project['handover'];
    replies?: Project['replies'];
    webhooks?: Project['webhooks'];
    tool_servers?: Project['tool_servers'];
    webhook_tools?: Project['webhook_tools'];
  })[];
}

const MAX_DEPTH = 100;
const UNSTORABLE = 'has a name with a NUL character, or is nested too deeply';

let compiled: ValidateFunction<CatalogueFile> | undefined;
/**
 * Compiled when the first file is read, since most starts read none. A test validates the schema itself. Both are slow.
 */
function validator(): ValidateFunction<CatalogueFile> {
  const options = { allErrors: true, allowUnionTypes: true, validateSchema: false, meta: false };
  return (compiled ??= new Ajv(options).compile<CatalogueFile>(CATALOGUE_FILE_SCHEMA));
}

/**
 * Validates a catalogue file against the current catalogue.
 *
 * @param text JSON
 * @param existing what a project of the file may refer to besides the file itself
 * @throws CatalogueFileError with every fault of the form or, if there is none, every wrong reference
 */
export function parseCatalogueFile(text: string, existing: Catalogue): CatalogueChange {
  const file = parseJson(text);
  const validate = validator();
  if (!validate(file))
    throw new CatalogueFileError(validate.errors!.filter(({ keyword }) => keyword !== 'if').map(describe));
  const { avatars = [], languages = [], projects = [] } = file;
  const faults = [
    ...repeated('avatars', '_id', avatars),
    ...repeated('languages', 'language_code', languages),
    ...repeated('projects', 'project_id', projects),
  ];
  projects.forEach(({ webhooks = [], replies = [] }, index) => {
    faults.push(...repeated(`projects[${index}].webhooks`, 'name', webhooks));
    faults.push(...repeated(`projects[${index}].replies`, 'name', replies));
  });
  const avatarIds = new Set([...existing.avatars, ...avatars].map(({ _id }) => _id));
  const codes = new Set([...existing.languages, ...languages].map(({ language_code }) => language_code));
  projects.forEach((project, index) => {
    faults.push(...unknown(`projects[${index}].avatars`, 'avatar', project.avatars, avatarIds));
    faults.push(...unknown(`projects[${index}].languages`, 'language', project.languages, codes));
  });
  faults.push(...sharedIdentities(projects, existing.projects), ...openIdentities(projects));
  if (faults.length > 0) throw new CatalogueFileError(faults);
  return {
    avatars,
    languages,
    projects: projects.map(({ token_policy, settings, ...project }) => ({
      ...project,
      token_policy: token_policy ?? (project.identity ? 'closed' : 'open'),
      settings: { ...DEFAULT_SETTINGS, ...settings },
    })),
  };
}

/** Serializes a catalogue for {@link parseCatalogueFile}, without the projects' secrets. */
export function formatCatalogueFile({ avatars, languages, projects }: Catalogue): string {
  const file: CatalogueFile = { avatars, languages, projects: projects.map(withoutSecrets) };
  return `${JSON.stringify(file, null, 2)}\n`;
}

function parseJson(text: string): unknown {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (error) {
    throw new CatalogueFileError([{ place: jsonPlace(text, error), problem: 'is not valid JSON' }]);
  }
  if (!isStorable(file)) throw new CatalogueFileError([{ place: 'file', problem: UNSTORABLE }]);
  return file;
}

/** Whether MongoDB stores it. Entries that are nested much deeper overflow the stack of their readers. */
export function isStorable(file: unknown, depth = MAX_DEPTH): boolean {
  if (typeof file !== 'object' || file === null) return true;
  if (depth === 0) return false;
  return Object.entries(file).every(([name, part]) => !name.includes('\0') && isStorable(part, depth - 1));
}

/** V8 gives an offset, or quotes the surrounding text if it considers that clearer. */
function jsonPlace(text: string, error: unknown): string {
  const offset = /at position (\d+)/.exec(String(error))?.[1];
  if (offset === undefined) return 'file';
  const before = text.slice(0, Number(offset)).split('\n');
  return `line ${before.length}, column ${before.at(-1)!.length + 1}`;
}

function describe({ instancePath, keyword, params, message }: ErrorObject): CatalogueFault {
  const place =
    instancePath
      .replace(/\/(\d+)(?=\/|$)/g, '[$1]')
      .replace(/\//g, '.')
      .replace(/^\./, '') || 'file';
  if (keyword === 'additionalProperties')
    return { place, problem: `has an unknown field ${JSON.stringify(params.additionalProperty)}` };
  if (keyword === 'enum') return { place, problem: `must be one of ${(params.allowedValues as string[]).join(', ')}` };
  if (keyword === 'pattern' && params.pattern === NOT_BLANK) return { place, problem: 'must not be blank' };
  return { place, problem: message! };
}

function repeated<K extends string>(list: string, field: K, entries: readonly Record<K, string>[]): CatalogueFault[] {
  const values = entries.map((entry) => entry[field]);
  return values.flatMap((value, index) =>
    values.indexOf(value) < index
      ? [{ place: `${list}[${index}].${field}`, problem: `repeats that of ${list}[${values.indexOf(value)}]` }]
      : [],
  );
}

function unknown(place: string, kind: string, values: readonly string[], known: ReadonlySet<string>): CatalogueFault[] {
  return values.flatMap((value, index) =>
    known.has(value) ? [] : [{ place: `${place}[${index}]`, problem: `there is no ${kind} ${JSON.stringify(value)}` }],
  );
}
