import { readFileSync } from 'node:fs';

type Operation = { responses: Record<string, { content?: Record<string, unknown> }> };
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
