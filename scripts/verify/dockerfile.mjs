/** Carries out a Dockerfile in directories, one a stage, for machines without an engine. See image.mjs. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Instructions that say something about an image and do nothing to it. */
const REMARKS = ['LABEL', 'EXPOSE'];

function instructionsOf(text) {
  const lines = text.replace(/^\s*#.*\n/gm, '').replace(/\\\n/g, ' ');
  return lines
    .split('\n')
    .filter((line) => line.trim())
    .map((line) => /^\s*(\w+)\s+(.*?)\s*$/.exec(line).slice(1));
}

/** The files of a directory that .dockerignore lets in, as paths in it. */
function contextOf(root) {
  const rules = readFileSync(join(root, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line.trim() && !line.startsWith('#'))
    .map((line) => ({ isIn: line.startsWith('!'), pattern: line.replace(/^!/, '').trim() }));
  const matches = (pattern, path) => {
    const source = pattern
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replace(/\*\*\/|\*\*|\*|\?/g, (sign) => ({ '**/': '(.*/)?', '**': '.*', '*': '[^/]*', '?': '[^/]' })[sign]);
    return new RegExp(`^${source}(/.*)?$`).test(path);
  };
  const isIn = (path) => rules.findLast(({ pattern }) => matches(pattern, path))?.isIn ?? true;
  const mayHold = (path) => rules.some((rule) => rule.isIn && rule.pattern.startsWith(`${path}/`));
  const walk = (folder) =>
    readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return isIn(path) || mayHold(path) ? walk(path) : [];
      return isIn(path) ? [path] : [];
    });
  return walk('');
}

/** COPY, of files below `from` that are among `files` (all, where there are none given). */
function copy(from, files, sources, to, intoFolder) {
  for (const source of sources) {
    const path = source.replace(/^(\.$|\.?\/)/, '');
    const isFolder = statSync(join(from, path)).isDirectory();
    const target = isFolder || !intoFolder ? to : join(to, basename(path));
    if (!files) {
      cpSync(join(from, path), target, { recursive: true, verbatimSymlinks: true });
      continue;
    }
    const found = files.filter((file) => !path || file === path || file.startsWith(`${path}/`));
    if (found.length === 0) throw new Error(`COPY ${source}: .dockerignore lets nothing of it in`);
    for (const file of found) {
      const place = isFolder ? join(target, file.slice(path ? path.length + 1 : 0)) : target;
      mkdirSync(dirname(place), { recursive: true });
      cpSync(join(from, file), place);
    }
  }
}

/**
 * @param root the directory with the Dockerfile and .dockerignore
 * @param directory where to make the stages
 * @param buildArgs values for ARG
 * @returns the last stage: its `root` and `workdir` as directories of this machine, `env`, `user`, `command`, `healthCheck`
 */
export function build(root, directory, buildArgs = {}) {
  const files = contextOf(root);
  const global = {};
  const stages = {};
  let stage;
  const known = () => (stage ? { ...stage.args, ...stage.env } : global);
  const filled = (text) => text.replace(/\$\{(\w+)\}|\$(\w+)/g, (_, a, b) => known()[a ?? b] ?? '');
  const pairs = (text) =>
    [...text.matchAll(/(\w+)=("([^"]*)"|\S*)/g)].map(([, name, value, quoted]) => [name, quoted ?? value]);
  const place = (path) => (path.startsWith('/') ? join(stage.root, path) : join(stage.root, stage.path, path));

  const carryOut = {
    FROM(rest) {
      const [, image, name = `stage-${Object.keys(stages).length}`] = /^(\S+)(?:\s+AS\s+(\S+))?$/i.exec(filled(rest));
      stage = { root: join(directory, name), path: '/', args: {}, env: {}, user: 'root' };
      mkdirSync(stage.root);
      if (stages[image]) cpSync(stages[image].root, stage.root, { recursive: true, verbatimSymlinks: true });
      stages[name] = stage;
    },
    ARG(rest) {
      const [, name, , quoted, plain] = /^(\w+)(=(?:"([^"]*)"|(.*)))?$/.exec(rest);
      (stage ? stage.args : global)[name] = buildArgs[name] ?? quoted ?? plain ?? global[name];
    },
    ENV: (rest) => Object.assign(stage.env, Object.fromEntries(pairs(filled(rest)))),
    WORKDIR(rest) {
      stage.path = rest;
      mkdirSync(join(stage.root, rest), { recursive: true });
    },
    COPY(rest) {
      const [, from, words] = /^(?:--from=(\S+)\s+)?(.*)$/.exec(filled(rest));
      const sources = words.split(/\s+/);
      const target = sources.pop();
      const intoFolder = target.endsWith('/') || sources.length > 1;
      if (from) copy(stages[from].root, undefined, sources, place(target), intoFolder);
      else copy(root, files, sources, place(target), intoFolder);
    },
    RUN(rest) {
      const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...stage.args, ...stage.env };
      const { status } = spawnSync('sh', ['-c', rest], {
        cwd: place('.'),
        env,
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      if (status !== 0) throw new Error(`RUN ${rest}: ended with ${status}`);
    },
    USER: (rest) => (stage.user = rest),
    CMD: (rest) => (stage.command = JSON.parse(rest)),
    HEALTHCHECK: (rest) => (stage.healthCheck = JSON.parse(/CMD\s+(\[.*\])$/.exec(rest)[1])),
  };
  const instructions = instructionsOf(readFileSync(join(root, 'Dockerfile'), 'utf8'));
  for (const [name, rest] of instructions) {
    if (REMARKS.includes(name)) continue;
    if (!carryOut[name]) throw new Error(`${name} cannot be carried out here`);
    carryOut[name](rest);
  }
  const { user, env, command, healthCheck } = stage;
  return { root: stage.root, workdir: place('.'), user, env, command, healthCheck, instructions: instructions.length };
}
