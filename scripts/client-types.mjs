/**
 * Writes the client's types from openapi.json: an interface for each schema, and the codes that errors can have. With
 * --check it fails where the committed ones differ.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';

const FILE = 'packages/client/src/types.ts';
const { components, paths } = JSON.parse(await readFile('openapi.json', 'utf8'));

/** A client is a user's: what is for operators is none of its business. */
const operations = Object.entries(paths)
  .filter(([path]) => !path.startsWith('/admin/'))
  .flatMap(([, path]) => Object.values(path));
const referred = new Set();
(function refer(part) {
  for (const [, name] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (referred.has(name)) continue;
    referred.add(name);
    refer(components.schemas[name]);
  }
})(operations);
const answers = operations.flatMap(({ responses }) => Object.values(responses));
const codes = new Set(
  answers.flatMap(({ content }) => Object.keys(content?.['application/json']?.examples ?? {})).sort(),
);

function type({ $ref, enum: values, items, type: name, format, anyOf }) {
  if ($ref) return $ref.replace(/^.*\//, '');
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (anyOf) return type(anyOf[0]);
  if (name === 'array') return `(${type(items)})[]`;
  if (format === 'binary') return 'Blob';
  if (name === 'integer') return 'number';
  if (['string', 'number', 'boolean'].includes(name)) return name;
  throw new Error(`What type is ${JSON.stringify({ type: name, format })}?`);
}

const comment = ({ description }) => (description ? `/** ${description} */\n` : '');

const interfaces = Object.entries(components.schemas)
  .filter(([name]) => referred.has(name) && !['TurnForm', 'HealthStatus'].includes(name))
  .map(([name, { properties, required = [] }]) => {
    const fields = Object.entries(properties).map(
      ([field, schema]) => `${comment(schema)}${field}${required.includes(field) ? '' : '?'}: ${type(schema)};`,
    );
    return `export interface ${name} {\n${fields.join('\n')}\n}`;
  });

const text = await format(
  [
    '// Made from openapi.json by `npm run openapi`; not to be edited.',
    `/** What the service calls its errors. */\nexport type ErrorCode = ${[...codes].map((code) => `'${code}'`).join(' | ')};`,
    ...interfaces,
  ].join('\n\n'),
  { ...(await resolveConfig(FILE)), parser: 'typescript' },
);

if (!process.argv.includes('--check')) {
  await writeFile(FILE, text);
} else if (text !== (await readFile(FILE, 'utf8').catch(() => ''))) {
  console.error(`${FILE} is not what openapi.json says; \`npm run openapi\` writes it anew`);
  process.exit(1);
}
