import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { CATALOGUE_FILE_SCHEMA } from './catalogue.file.schema.js';
import { CatalogueFileError, formatCatalogueFile, parseCatalogueFile } from './catalogue.file.js';
import { type Avatar, type Catalogue, DEFAULT_SETTINGS, type Language, type Project } from './catalogue.types.js';

const NOTHING: Catalogue = { avatars: [], languages: [], projects: [] };

const avatar = (changes: object = {}): Avatar => ({
  _id: 'ada',
  name: 'Ada',
  greetingText: 'Hello',
  hasLiveMode: false,
  previewIcons: { small: '/assets/s.png', medium: '/assets/m.png', large: 'https://cdn.test/l.png' },
  startButtonIcon: '/assets/b.svg',
  idleVideo: '/assets/v.webm',
  engine: { kind: 'scripted', script: 'ada' },
  ...changes,
});
const language = (changes: object = {}): Language => ({
  name: 'English',
  language_code: 'en',
  icon_url: '/assets/en.svg',
  ...changes,
});
const project = (changes: object = {}) => ({ project_id: 'default', avatars: ['ada'], languages: ['en'], ...changes });
const webhook = (changes: object = {}) => ({ name: 'crm', url: 'https://example.org/hook', ...changes });
const file = (changes: object = {}) => ({
  avatars: [avatar()],
  languages: [language()],
  projects: [project()],
  ...changes,
});

function faults(value: unknown, existing = NOTHING): string[] {
  try {
    parseCatalogueFile(typeof value === 'string' ? value : JSON.stringify(value), existing);
    return [];
  } catch (error) {
    if (error instanceof CatalogueFileError) return error.faults.map(({ place, problem }) => `${place}: ${problem}`);
    throw error;
  }
}

it('the schema of a catalogue file is a valid schema', () => {
  expect(new Ajv().validateSchema(CATALOGUE_FILE_SCHEMA)).toBe(true);
});

describe('a catalogue file', () => {
  it('is read unchanged, with the defaults of what a project omits', () => {
    expect(parseCatalogueFile(JSON.stringify(file()), NOTHING)).toEqual({
      avatars: [avatar()],
      languages: [language()],
      projects: [{ ...project(), token_policy: 'open', settings: DEFAULT_SETTINGS }],
    });
  });

  it('keeps what a project sets', () => {
    const settings = { chat_types: ['text'], messageTimeoutSeconds: 5, greet: true };
    const webhooks = [webhook(), webhook({ name: 'erp', events: ['turn.failed'], secret_env: 'ERP' })];
    const said = project({ token_policy: 'verified', settings, speech: { speaker: { kind: 'none' } }, webhooks });
    expect(parseCatalogueFile(JSON.stringify(file({ projects: [said] })), NOTHING).projects).toEqual([
      { ...said, settings: { ...DEFAULT_SETTINGS, ...settings } },
    ]);
  });

  it('may omit any of its lists, and refer to existing entries', () => {
    expect(faults({})).toEqual([]);
    expect(faults({ projects: [project()] }, { ...NOTHING, avatars: [avatar()], languages: [language()] })).toEqual([]);
  });

  it('may have a pattern that names the NUL', () => {
    expect(faults(file({ avatars: [avatar({ voice: { names: { '\\u0000': 'x' } } })] }))).toEqual([]);
  });

  it('round-trips through its own export, without the keys of projects', () => {
    const { avatars, languages, projects } = parseCatalogueFile(JSON.stringify(file()), NOTHING);
    const stored: Project[] = projects.map((one) => ({ ...one, key: 'secret', epoch: 'secret' }));
    const text = formatCatalogueFile({ avatars, languages, projects: stored });
    expect(text).not.toMatch(/secret|"key"|"epoch"/);
    expect(parseCatalogueFile(text, NOTHING)).toEqual({ avatars, languages, projects });
  });

  it('shipped with the service is valid', () => {
    expect(faults(readFileSync('catalogue/default.json', 'utf8'))).toEqual([]);
  });

  it.each<[string, unknown, string | RegExp]>([
    ['not JSON', '{\n  "avatars": [,]\n}', /^(line 2, column \d+|file): is not valid JSON$/],
    ['with a name that is not quoted', '{\n  avatars: []\n}', 'line 2, column 3: is not valid JSON'],
    ['empty', '', 'file: is not valid JSON'],
    ['a list', [], 'file: must be object'],
    ['of an unknown field', { persons: [] }, 'file: has an unknown field "persons"'],
    ['with avatars that are not a list', { avatars: {} }, 'avatars: must be array'],
    [
      'with an avatar without a name',
      file({ avatars: [avatar({ name: undefined })] }),
      "avatars[0]: must have required property 'name'",
    ],
    [
      'with an empty name',
      file({ avatars: [avatar({ name: '' })] }),
      'avatars[0].name: must NOT have fewer than 1 characters',
    ],
    ['with a blank name', file({ avatars: [avatar({ name: ' \u00a0' })] }), 'avatars[0].name: must not be blank'],
    [
      'with a blank name of a language',
      file({ languages: [language({ name: '\t' })] }),
      'languages[0].name: must not be blank',
    ],
    [
      'with a blank name of a reply',
      file({ projects: [project({ replies: [{ name: ' ', text: ' ' }] })] }),
      'projects[0].replies[0].name: must not be blank',
    ],
    [
      'with an empty greeting',
      file({ avatars: [avatar({ greetingText: '' })] }),
      'avatars[0].greetingText: must NOT have fewer than 1 characters',
    ],
    [
      'with an invalid identifier',
      file({ avatars: [avatar(), avatar({ _id: 'a b' })] }),
      /^avatars\[1\]\._id: must match pattern/,
    ],
    [
      'with an invalid asset path',
      file({ avatars: [avatar({ idleVideo: '/etc/passwd' })] }),
      /^avatars\[0\]\.idleVideo: must match pattern/,
    ],
    [
      'with a missing icon',
      file({ avatars: [avatar({ previewIcons: { small: '/assets/s', medium: '/assets/m' } })] }),
      "avatars[0].previewIcons: must have required property 'large'",
    ],
    [
      'with a NUL in a name',
      file({ avatars: [avatar({ voice: { names: { 'a\\\u0000': 'x' } } })] }),
      'file: has a name with a NUL character, or is nested too deeply',
    ],
    [
      'that is nested too deeply',
      file({ avatars: [avatar({ engine: JSON.parse('{"a":'.repeat(100) + '1' + '}'.repeat(100)) })] }),
      'file: has a name with a NUL character, or is nested too deeply',
    ],
    [
      'with an engine without a kind',
      file({ avatars: [avatar({ engine: {} })] }),
      "avatars[0].engine: must have required property 'kind'",
    ],
    [
      'with a voice that is too fast',
      file({ avatars: [avatar({ voice: { rate: 3 } })] }),
      'avatars[0].voice.rate: must be <= 2',
    ],
    [
      'with an invalid language code',
      file({ languages: [language(), language({ language_code: 'x' })] }),
      /^languages\[1\]\.language_code: must match/,
    ],
    [
      'with a project without a name',
      file({ projects: [project({ project_id: 'a_b' })] }),
      /^projects\[0\]\.project_id: must match pattern/,
    ],
    [
      'with an unknown policy',
      file({ projects: [project({ token_policy: 'guarded' })] }),
      'projects[0].token_policy: must be one of open, verified, closed',
    ],
    ['with a key', file({ projects: [project({ key: 'mine' })] }), 'projects[0]: has an unknown field "key"'],
    [
      'without chat types',
      file({ projects: [project({ settings: { chat_types: [] } })] }),
      'projects[0].settings.chat_types: must NOT have fewer than 1 items',
    ],
    [
      'with an unknown chat type',
      file({ projects: [project({ settings: { chat_types: ['smell'] } })] }),
      'projects[0].settings.chat_types[0]: must be one of text, voice, video',
    ],
    [
      'with an answer timeout of zero',
      file({ projects: [project({ settings: { messageTimeoutSeconds: 0 } })] }),
      'projects[0].settings.messageTimeoutSeconds: must be >= 1',
    ],
    [
      'with a webhook without a name',
      file({ projects: [project({ webhooks: [webhook({ name: 'My CRM' })] })] }),
      /^projects\[0\]\.webhooks\[0\]\.name: must match pattern/,
    ],
    [
      'with a webhook that is not HTTP',
      file({ projects: [project({ webhooks: [webhook({ url: 'ftp://example.org' })] })] }),
      /^projects\[0\]\.webhooks\[0\]\.url: must match pattern/,
    ],
    [
      'with a webhook for an unknown event',
      file({ projects: [project({ webhooks: [webhook({ events: ['message.read'] })] })] }),
      /^projects\[0\]\.webhooks\[0\]\.events\[0\]: must be one of session\.started, /,
    ],
    [
      'with a secret',
      file({ projects: [project({ webhooks: [webhook({ secret: 'whsec_x' })] })] }),
      'projects[0].webhooks[0]: has an unknown field "secret"',
    ],
    [
      'with a webhook twice',
      file({ projects: [project({ webhooks: [webhook(), webhook()] })] }),
      'projects[0].webhooks[1].name: repeats that of projects[0].webhooks[0]',
    ],
    [
      'with too many webhooks',
      file({ projects: [project({ webhooks: Array.from({ length: 11 }, (_, n) => webhook({ name: `crm-${n}` })) })] }),
      'projects[0].webhooks: must NOT have more than 10 items',
    ],
    ['with an avatar twice', file({ avatars: [avatar(), avatar()] }), 'avatars[1]._id: repeats that of avatars[0]'],
    [
      'with a language twice',
      file({ languages: [language(), language()] }),
      'languages[1].language_code: repeats that of languages[0]',
    ],
    [
      'with a project twice',
      file({ projects: [project(), project()] }),
      'projects[1].project_id: repeats that of projects[0]',
    ],
    [
      'with an unknown avatar',
      file({ projects: [project({ avatars: ['ada', 'bob'] })] }),
      'projects[0].avatars[1]: there is no avatar "bob"',
    ],
    [
      'with an unknown language',
      file({ projects: [project({ languages: ['fr'] })] }),
      'projects[0].languages[0]: there is no language "fr"',
    ],
  ])('%s is rejected, with the path', (_, value, fault) => {
    expect(faults(value)).toEqual([typeof fault === 'string' ? fault : expect.stringMatching(fault)]);
  });

  it('reports every fault at once, one per line', () => {
    const bad = file({ avatars: [avatar({ name: '', hasLiveMode: 'no' })], languages: [language({ name: 7 })] });
    expect(faults(bad)).toHaveLength(3);
    expect(() => parseCatalogueFile(JSON.stringify(bad), NOTHING)).toThrow(
      /^The catalogue cannot be used:\n( {2}\S+: .+\n?){3}$/,
    );
  });
});
