import { readFileSync } from 'node:fs';

type Operation = { responses: Record<string, { content?: Record<string, unknown> }> };
const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
};

/** Those of openapi-python-client, which leaves out a response of no type among them, with a warning. */
const READ_BY_GENERATORS = /^text\/|^application\/(json|octet-stream)$|\+json$/;

it('each response of the OpenAPI document can have a type that generators of clients read', () => {
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
