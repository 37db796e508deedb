/**
 * Fails if a regular expression of the service, the widget or the client may take more than linear time. TypeScript's
 * parser finds each literal, each `new RegExp` and each `pattern` of a schema; recheck analyzes it.
 *
 *   npm run check -- regexes -- [--timeout SECONDS]
 *
 * An expression that recheck cannot decide in that time, or that is built at run time, needs an entry in REASONS that
 * explains why no input makes it slow. An unused entry fails too.
 */
import { readFileSync } from 'node:fs';
import { check } from 'recheck';
import ts from 'typescript';
import { parseArgs } from './arguments.mjs';

/** With more than about thirty repetitions in total, recheck falls back to fuzzing, which proves nothing. */
const MAX_COUNT = 10;
const COMMANDS = 'a pattern of a database command; a client that may send one can also send a slow query';
const REASONS = {
  'packages/catalogue/src/event.names.ts: /^(?!(?:session|message|messages|turn|user|conversation)\\.)[a-z][a-z0-9_-]{0,31}\\.[a-z][a-z0-9_.-]{0,63}$/':
    'anchored, and nothing before the first dot matches a dot',
  "src/platform/http/mount.ts: new RegExp(`^(?:${[...this.routes].map(patternOf).join('|')})$`)":
    'anchored, and only the end of a route matches anything',
  'packages/catalogue/src/catalogue.file.ts: /\\/(\\d+)(?=\\/|$)/g':
    'each attempt begins at a slash, and looks one character ahead',
  'packages/embedded-mongo/src/query/predicates.ts: new RegExp(source, all)': COMMANDS,
  "packages/dialogue/src/text/words.ts: new RegExp(`[${[...ALIKE.keys()].join('')}]`, 'g')":
    'one class of single characters',
  "packages/dialogue/src/text/words.ts: new RegExp(`([${UNSPACED}])|${LETTER}${TAIL}(?:['’ʼ]${LETTER}${TAIL})*`, 'gu')":
    'looks one character ahead, and neither side of an apostrophe matches one',
  "packages/media/src/text/spoken.text.ts: new RegExp(`(?<![\\\\p{L}\\\\p{M}\\\\p{N}])(?:${any})(?![\\\\p{L}\\\\p{M}\\\\p{N}])`, 'gu')":
    'escaped words of the catalogue, without repetitions',
  "packages/media/src/text/readings.ts: new RegExp(pattern, 'gu')":
    'patterns of the package: all repetitions are bounded, of at most twenty characters',
  "packages/media/src/text/readings.ts: new RegExp(`^(?:${data.one ?? '1'})$`)": 'anchored, of one number',
  "packages/media/src/text/readings.ts: new RegExp(before + text.replaceAll(' ', ' ?') + after, 'gu')":
    'escaped words of the package, without repetitions',
  "packages/knowledge/src/passages/passages.ts: new RegExp(String.raw`(?<![\\p{L}\\p{M}\\p{N}])(?:${INITIALS}|${ABBREVIATIONS})\\.[^\\S\\n]$`, 'iu')":
    'tested on thirty characters',
  "packages/knowledge/src/passages/passages.ts: new RegExp(String.raw`(?<![\\p{L}\\p{M}\\p{N}])(?:${BEFORE_NUMBERS})\\.[^\\S\\n]$`, 'iu')":
    'tested on thirty characters',
  'packages/console/src/forms/schema-form.ts: new RegExp(propertyNames!.pattern!)':
    "a pattern of the service's own schema, tested on two short texts",
  'packages/dialogue/src/text/words.ts: /(\\p{L})\\1{2,}/gu': 'a failed attempt reads three characters',
};

const { values } = parseArgs({ options: { timeout: { type: 'string', default: '120' } } });
const timeout = Number(values.timeout) * 1000;
const FOLDERS = ['src', 'packages'];
const EXCLUDED = ['**/node_modules', '**/dist', '**/*.spec.ts', '**/*.d.ts', '**/test'];

const files = ts.sys.readDirectory('.', ['.ts', '.mts', '.js', '.mjs'], EXCLUDED, FOLDERS);
const expressions = files.flatMap((file) => expressionsOf(file.replace(/^\.\//, '')));
const verdicts = new Map();
const unused = new Set(Object.keys(REASONS));
const faults = [];
for (const { place, name, source, flags } of expressions) {
  const fault = await faultOf(source, flags);
  if (!fault) continue;
  if (!unused.delete(name) && !(name in REASONS))
    faults.push(`${place}: ${fault}: ${name.slice(name.indexOf(': ') + 2)}`);
}
faults.push(...[...unused].map((name) => `scripts/check-regexes.mjs: unused reason for ${name}`));
for (const fault of faults) console.error(fault);
if (expressions.length === 0) console.error('No regular expression was found.');
process.exit(faults.length === 0 && expressions.length > 0 ? 0 : 1);

/** Why an expression is rejected, or undefined if it is linear. */
async function faultOf(source, flags) {
  if (source === undefined) return 'is built at run time';
  const key = `/${source}/${flags}`;
  if (!verdicts.has(key)) verdicts.set(key, await check(withoutLargeCounts(source), flags, { timeout }));
  const { status, checker, complexity, error } = verdicts.get(key);
  if (status === 'vulnerable') return `takes more than linear time (${complexity.summary})`;
  if (status === 'unknown') return `cannot be analyzed (${error.kind})`;
  // Fuzzing without a slow input proves nothing.
  return checker === 'fuzz' ? 'cannot be proven to be linear' : undefined;
}

/** Replaces large repetition counts by unbounded ones, which are at least as slow. */
function withoutLargeCounts(source) {
  return source.replace(/\{(\d+)(?:,(\d*))?\}/g, (count, least, most = least) =>
    Number(most || least) > MAX_COUNT ? (Number(least) === 0 ? '*' : '+') : count,
  );
}

function expressionsOf(file) {
  const tree = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const found = [];
  const add = (node, source, flags = '') => {
    const line = tree.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    found.push({ place: `${file}:${line}`, name: `${file}: ${node.getText()}`, source, flags });
  };
  const visit = (node) => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      add(node, node.text.slice(1, end), node.text.slice(end + 1));
    } else if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp') {
      const [source, flags] = node.arguments ?? [];
      // A nested literal is visited on its own.
      if (source && !ts.isRegularExpressionLiteral(source)) {
        const fixedFlags = flags ? textOf(flags, tree) : '';
        add(node, fixedFlags === undefined ? undefined : textOf(source, tree), fixedFlags);
      }
    } else if (ts.isPropertyAssignment(node) && node.name.getText() === 'pattern') {
      const text = textOf(node.initializer, tree);
      if (text !== undefined) add(node, text, 'u');
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

/** The text of a string that is known statically: a literal, or a template of constants of the same file. */
function textOf(node, tree) {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isIdentifier(node)) {
    const constant = tree.statements
      .filter(ts.isVariableStatement)
      .flatMap(({ declarationList }) => declarationList.declarations)
      .find(({ name }) => name.getText() === node.text);
    return constant?.initializer && textOf(constant.initializer, tree);
  }
  if (!ts.isTemplateExpression(node)) return undefined;
  const parts = node.templateSpans.map(({ expression, literal }) => [textOf(expression, tree), literal.text]);
  return parts.some(([text]) => text === undefined) ? undefined : node.head.text + parts.flat().join('');
}
