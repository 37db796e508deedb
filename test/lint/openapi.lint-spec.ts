import { readFileSync } from 'node:fs';

type Operation = { responses: Record<string, { description: string; content?: Record<string, Content> }> };
type Content = { example?: unknown };
const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
};

/** Media types of openapi-python-client, which drops all other responses with a warning. */
const READ_BY_GENERATORS = /^text\/|^application\/(json|octet-stream)$|\+json$/;

it('each response of the OpenAPI document has a type that client generators support', () => {
  const contents = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { responses }]) =>
      Object.entries(responses).map(
        ([status, { content }]) => [`${method} ${path} ${status}`, Object.keys(content ?? {})] as const,
      ),
    ),
  );
  expect(contents.length).toBeGreaterThan(100);
  const unread = contents.filter(
    ([, types]) => types.length > 0 && !types.some((type) => READ_BY_GENERATORS.test(type)),
  );
  expect(unread).toEqual([]);
});

it('describes each event of a streamed turn', () => {
  const source = readFileSync('src/chat/turns/turn.service.ts', 'utf8');
  const [, union = ''] = /^export type TurnEvent =\n([^]*?);\n\n/m.exec(source) ?? [];
  const events = [...union.matchAll(/event: '(\w+)'/g)].map(([, event]) => event!);
  expect(events.length).toBeGreaterThan(5);
  const { description } = paths['/chat#stream']!.post!.responses[200]!;
  expect(events.filter((event) => !description.includes(`\`${event}\``))).toEqual([]);
});

it('has an example of each response that is JSON or an event stream', () => {
  // The second is of a document that replaces another one.
  const others = ['get /files/{file_id}/details 200', 'post /admin/knowledge/{base}/documents 200'];
  const missing = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { responses }]) =>
      Object.entries(responses)
        .filter(([status]) => status.startsWith('2'))
        .filter(([, { content = {} }]) =>
          ['application/json', 'text/event-stream'].some(
            (type) => content[type] && content[type].example === undefined,
          ),
        )
        .map(([status]) => `${method} ${path} ${status}`),
    ),
  );
  expect(missing.filter((one) => !others.includes(one))).toEqual([]);
});
