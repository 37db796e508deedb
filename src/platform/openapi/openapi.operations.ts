import type { OpenAPIObject } from '@nestjs/swagger';

type PathItem = OpenAPIObject['paths'][string];
type Operation = NonNullable<PathItem['get']>;
type Schema = Extract<NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string], { type?: unknown }>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const EVENT_STREAM = 'text/event-stream';

/** All operations of a document. */
export function operationsOf(document: OpenAPIObject): Operation[] {
  return Object.values(document.paths).flatMap((path) => METHODS.flatMap((method) => path[method] ?? []));
}

/**
 * Gives each JSON body an example of its required fields: pages that send requests would otherwise make up a value for every
 * optional field.
 */
export function addBodyExamples(document: OpenAPIObject): void {
  for (const { requestBody } of operationsOf(document)) {
    const json = requestBody && 'content' in requestBody ? requestBody.content['application/json'] : undefined;
    if (json?.schema && json.example === undefined && !json.examples) json.example = exampleOf(document, json.schema);
  }
}

/**
 * Describes the stream of an operation that also answers with JSON as an operation of its own, under the same path with
 * `#stream`: generators of clients keep only one type of success, and lose the other.
 */
export function separateStreams(document: OpenAPIObject): void {
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (!operation) continue;
      const responses = Object.entries(operation.responses);
      const streams = responses.filter(
        ([, response]) => response && 'content' in response && response.content?.[EVENT_STREAM],
      );
      const others = responses.filter((entry) => !streams.includes(entry));
      if (streams.length === 0 || !others.some(([status]) => status.startsWith('2'))) continue;
      operation.responses = Object.fromEntries(others);
      const failures = others.filter(([status]) => !status.startsWith('2'));
      const stream: Operation = {
        ...structuredClone(operation),
        operationId: `${operation.operationId}_stream`,
        summary: `${operation.summary ?? ''} As a stream of events.`.trim(),
        responses: structuredClone(Object.fromEntries([...streams, ...failures])),
      };
      stream.description = stream.summary;
      document.paths[`${path}#stream`] = { [method]: stream };
    }
  }
}

/** A value with the required fields of a schema; undefined if one has neither an example nor a default. */
function exampleOf(document: OpenAPIObject, given: unknown): unknown {
  const schema = resolve(document, given);
  if (schema.example !== undefined) return schema.example;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  if (schema.type === 'array') return [];
  const fields = Object.entries(schema.properties ?? {}).filter(([name]) => schema.required?.includes(name));
  if (schema.type !== 'object' && fields.length === 0) return undefined;
  return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(document, field)]));
}

/** A schema without references and `allOf`. */
function resolve(document: OpenAPIObject, given: unknown): Schema {
  const schema = given as Schema & { $ref?: string };
  const named = schema.$ref && document.components?.schemas?.[schema.$ref.split('/').at(-1)!];
  const { allOf = [], ...own } = named ? resolve(document, named) : schema;
  return allOf
    .map((part) => resolve(document, part))
    .reduce<Schema>(
      (all, part) => ({
        ...part,
        ...all,
        properties: { ...part.properties, ...all.properties },
        required: [...(part.required ?? []), ...(all.required ?? [])],
      }),
      own,
    );
}
