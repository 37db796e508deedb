import { parseCall } from './cli.arguments.js';
import { CALLS, USAGE } from './cli.commands.js';
import { UsageError } from './cli.errors.js';

const owner = { project_id: 'p-1', user_id: 'u_1' };
const flags = { skipBad: false, erase: false, keepMessages: false, dryRun: false, all: false };
const call = { project_id: '', user_id: '', words: [], ...flags };

describe('parseCall', () => {
  it.each([
    ['project list', { ...call, command: 'project list' }],
    ['project show p-1', { ...call, command: 'project show', project_id: 'p-1' }],
    ['project add p-1', { ...call, command: 'project add', project_id: 'p-1' }],
    ['project remove -- -p', { ...call, command: 'project remove', project_id: '-p' }],
    ['project remove p-1 --erase', { ...call, command: 'project remove', project_id: 'p-1', erase: true }],
    ['project add --keep-messages p-1', { ...call, command: 'project add', project_id: 'p-1', keepMessages: true }],
    ['catalogue apply', { ...call, command: 'catalogue apply' }],
    ['catalogue apply -', { ...call, command: 'catalogue apply' }],
    ['catalogue apply a.json', { ...call, command: 'catalogue apply', file: 'a.json' }],
    ['catalogue export', { ...call, command: 'catalogue export' }],
    ['catalogue export a.json', { ...call, command: 'catalogue export', file: 'a.json' }],
    ['messages import a.jsonl', { ...call, command: 'messages import', file: 'a.jsonl' }],
    ['messages import a.jsonl --skip-bad', { ...call, command: 'messages import', file: 'a.jsonl', skipBad: true }],
    ['messages import --skip-bad a.jsonl', { ...call, command: 'messages import', file: 'a.jsonl', skipBad: true }],
    ['messages export --project p-1 --user u_1', { ...call, command: 'messages export', ...owner }],
    ['--user=u_1 messages erase --project=p-1', { ...call, command: 'messages erase', ...owner }],
    ['messages export --project p-1', { ...call, command: 'messages export', project_id: 'p-1' }],
    ['messages erase --project p-1 --all', { ...call, command: 'messages erase', project_id: 'p-1', all: true }],
    ['users list --project p-1', { ...call, command: 'users list', project_id: 'p-1' }],
    ['project rotate-key p-1', { ...call, command: 'project rotate-key', project_id: 'p-1' }],
    ['project rotate-key p-1 --grace 0', { ...call, command: 'project rotate-key', project_id: 'p-1', grace: 0 }],
    ['project rotate-key p-1 --grace 0.5', { ...call, command: 'project rotate-key', project_id: 'p-1', grace: 0.5 }],
    [
      'webhooks rotate-secret --project p-1 --name crm',
      { ...call, command: 'webhooks rotate-secret', project_id: 'p-1', name: 'crm' },
    ],
    ['token issue --project p-1 --user u_1', { ...call, command: 'token issue', ...owner }],
    ['quality --project p-1', { ...call, command: 'quality', project_id: 'p-1' }],
    ['quality --project p-1 --days 7', { ...call, command: 'quality', project_id: 'p-1', days: 7 }],
    ['webhooks log', { ...call, command: 'webhooks log' }],
    ['webhooks log --project p-1', { ...call, command: 'webhooks log', project_id: 'p-1' }],
    ['webhooks retry evt_1.crm', { ...call, command: 'webhooks retry', id: 'evt_1.crm' }],
    ['webhooks retry --project p-1', { ...call, command: 'webhooks retry', project_id: 'p-1' }],
    ['database copy --to embedded:x', { ...call, command: 'database copy', to: 'embedded:x' }],
    ['speech install', { ...call, command: 'speech install' }],
    [
      'speech install de piper-x --dry-run --accept CC-BY-NC-4.0',
      { ...call, command: 'speech install', words: ['de', 'piper-x'], dryRun: true, accept: 'CC-BY-NC-4.0' },
    ],
    ['speech install --all', { ...call, command: 'speech install', all: true }],
    ['speech remove x', { ...call, command: 'speech remove', words: ['x'] }],
    ['--help', 'help'],
    ['-h', 'help'],
    ['help', 'help'],
    ['messages import --help', 'help'],
  ])('understands: %s', (words, expected) => {
    expect(parseCall(words.split(' '))).toEqual(expected);
  });

  it.each([
    ['', /no command\./],
    ['project', /no command 'project'/],
    ['project list extra', /too much/],
    ['speech install de --all', /needs a \[TARGET…\] or --all/],
    ['speech remove', /needs a NAME/],
    ['speech remove a b', /too much/],
    ['speech list --dry-run', /takes no --dry-run/],
    ['project drop p', /no command 'project drop'/],
    ['constructor', /no command/],
    ['project show', /needs an ID/],
    ['project add a b', /too much/],
    ['project list --project p', /takes no --project/],
    ['catalogue apply a b', /too much/],
    ['webhooks log x', /too much/],
    ['webhooks log --user u', /takes no --user/],
    ['webhooks log --project a --project b', /one --project/],
    ['webhooks rotate-secret --project p', /needs a --name/],
    ['project rotate-key --grace 1', /needs an ID/],
    ['project rotate-key p --grace', /--grace/],
    ['project rotate-key p --grace=', /needs a --grace/],
    ['project rotate-key p --grace=-1', /number of hours/],
    ['project rotate-key p --grace 1e3', /number of hours/],
    ['project rotate-key p --grace 8761', /number of hours/],
    ['project rotate-key p --grace soon', /number of hours/],
    ['project show p --grace 1', /takes no --grace/],
    ['users list', /needs a --project/],
    ['database copy', /needs a --to/],
    ['webhooks retry', /needs an ID or a --project/],
    ['webhooks retry x --project p', /needs an ID or a --project/],
    ['catalogue apply --skip-bad', /takes no --skip-bad/],
    ['messages import', /needs a FILE/],
    ['messages import a.jsonl --user u', /takes no --user/],
    ['messages import a.jsonl --skip', /--skip/],
    ['messages export', /needs a --project/],
    ['messages export --project p --all', /takes no --all/],
    ['messages erase --user u', /needs a --project/],
    ['messages erase --project p', /needs --user or --all/],
    ['messages erase --project p --user u --all', /needs --user or --all/],
    ['messages erase --project p --user u --user v', /one --user/],
    ['messages erase --project p --user', /--user/],
    ['messages erase p u', /too much/],
    ['messages erase --project= --user u', /needs a --project/],
    ['token issue --project p --user u extra', /too much/],
    ['token issue --project p --user u --ttl 5', /--ttl/],
    ['model install', /needs a SOURCE/],
    ['model install a.gguf --sha256 12', /64 hexadecimal digits/],
  ])('refuses: %s', (words, reason) => {
    const parse = () => parseCall(words.split(' ').filter(Boolean));
    expect(parse).toThrow(UsageError);
    expect(parse).toThrow(reason);
  });
});

it.each(CALLS)('parses $call as the usage text shows it', ({ call: shown }) => {
  expect(USAGE).toContain(`  ${shown} `);
  const words = shown
    .replace(/\((.+?) \|.*\)/, '$1')
    .replace(/\[([^[\]]+?) \|[^\]]*\]/, '$1')
    .replace(/\[(.*?)\]/g, '$1')
    .replace('HOURS', '48')
    .replace('HEX', 'a'.repeat(64))
    .replace('--days N', '--days 7');
  expect(parseCall(words.split(' '))).toMatchObject({
    command: words
      .split(' ', 2)
      .filter((word) => !word.startsWith('-'))
      .join(' '),
  });
});
