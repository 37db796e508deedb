/**
 * Long values that slow down nonlinear code, in every header, parameter, field and multipart frame of every route in
 * the OpenAPI document; and the time that the service takes for each. For the suite and `npm run verify -- hostile`.
 */
const REQUEST_HEADERS = [
  'accept',
  'accept-encoding',
  'accept-language',
  'access-control-request-headers',
  'access-control-request-method',
  'content-type',
  'cookie',
  'forwarded',
  'host',
  'idempotency-key',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'last-event-id',
  'origin',
  'range',
  'transfer-encoding',
  'user-agent',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-request-id',
];
const HEADER_CHARACTERS = 15_000;
const URL_CHARACTERS = 7_500;
const FIELD_CHARACTERS = 60_000;
/** The parser stops at the 21st, but only after the current chunk; one of 64 KiB holds six times as many. */
const FRAME_COUNT = 2000;
const FILLS = ' |a|0|,|;|=|"|\\|/|../|%|%20|-|a,|a=|a;q=0.1,|0-1,|](|[|{|(|<|:|.|a |1.|a-|"a",|*/|\t|!'.split('|');
const FRAMES = [
  ['', ''],
  ['a', 'b'],
  ['Bearer a', 'b'],
  ['bytes=', 'x'],
  ['multipart/form-data; boundary=', '"'],
  ['application/json', '/'],
];
/** Raw hostile bodies, none of them valid JSON of ours. */
const DEEP = ['[', '{"a":', '"\\u0000', '1e', '-', '{"a":1,', '[1,'];

/** Cycles through the values, so that even a short run has different ones in each place. */
export function* values(short) {
  for (;;) for (const fill of FILLS) for (const frame of short ? [FRAMES[0], FRAMES[1]] : FRAMES) yield [fill, frame];
}

/** @type {(value: [string, string[]], length: number) => string} */
const long = ([fill, [before, after]], length) =>
  before + fill.repeat(Math.ceil(length / fill.length)).slice(0, length - before.length - after.length) + after;

/**
 * Requests for `app.inject`, each with a name, and with the same request without a hostile value as `plain`.
 *
 * @param {any} openapi the document
 * @param {object} options
 * @param {string} options.token of a user, for the routes of users
 * @param {string} options.adminKey for those of operators
 * @param {Record<string, string>} options.sample valid values of fields, by name
 * @param {number} options.each how many values each place gets
 */
export function* hostileRequests(openapi, { token, adminKey, sample, each }) {
  const next = values(each < FILLS.length);
  const some = () => Array.from({ length: each }, () => /** @type {[string, string[]]} */ (next.next().value));
  const schemaOf = ({ $ref, ...schema } = /** @type {any} */ ({})) =>
    $ref ? openapi.components.schemas[$ref.split('/').at(-1)] : schema;
  for (const [path, operations] of Object.entries(openapi.paths)) {
    for (const [verb, { parameters = [], requestBody, security = [], responses }] of Object.entries(operations)) {
      // The answer to a GET of events has no end.
      const method = verb === 'get' && responses[200]?.content?.['text/event-stream'] ? 'head' : verb;
      const isAdmin = security.some((scheme) => 'admin' in scheme);
      const authorization = `Bearer ${isAdmin ? adminKey : token}`;
      const query = parameters.filter((each) => each.in === 'query').map(({ name }) => name);
      const urlOf = (given = {}) => {
        const value = (name) => given[name] ?? sample[name] ?? 'a';
        const search = new URLSearchParams(query.map((name) => [name, value(name)]));
        return (
          path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(value(name))) + (query.length ? `?${search}` : '')
        );
      };
      const plain = { method: method.toUpperCase(), url: urlOf(), headers: { authorization } };
      const request = (name, more) => ({
        name: `${method.toUpperCase()} ${path} ${name}`,
        request: { ...plain, ...more, headers: { authorization, ...more.headers } },
        plain,
      });
      const gap = long([' ', FRAMES[2]], HEADER_CHARACTERS);
      yield request('authorization', { headers: { authorization: gap } });
      for (const header of ['authorization', ...REQUEST_HEADERS])
        for (const value of some()) yield request(header, { headers: { [header]: long(value, HEADER_CHARACTERS) } });
      for (const { name, in: place } of parameters.filter(({ in: place }) => place !== 'header'))
        for (const value of some()) {
          // A percent-encoded character takes three.
          const given = { [name]: long(value, URL_CHARACTERS / 3) };
          yield request(`${place} ${name}`, { url: urlOf(given) });
        }
      for (const value of some())
        yield request('raw query', { url: `${urlOf()}?${encodeURI(long(value, URL_CHARACTERS / 3))}` });
      const { 'application/json': json, 'multipart/form-data': form } = requestBody?.content ?? {};
      const properties = Object.keys({ ...schemaOf(json?.schema)?.properties, ...schemaOf(form?.schema)?.properties });
      const good = Object.fromEntries(properties.filter((name) => name in sample).map((name) => [name, sample[name]]));
      if (json) {
        const headers = { 'content-type': 'application/json' };
        for (const name of properties)
          for (const value of some())
            yield request(`field ${name}`, {
              headers,
              payload: JSON.stringify({ ...good, [name]: long(value, FIELD_CHARACTERS / 2) }),
            });
        for (const fill of DEEP)
          yield request(`body ${fill}`, { headers, payload: long([fill, ['', '']], FIELD_CHARACTERS) });
      }
      if (form) for (const value of some()) yield* forms(request, properties, value);
    }
  }
}

function* forms(request, properties, value) {
  const text = long(value, HEADER_CHARACTERS);
  const body = (boundary, head, content) => `--${boundary}\r\n${head}\r\n\r\n${content}\r\n--${boundary}--\r\n`;
  const type = (boundary) => ({ 'content-type': `multipart/form-data; boundary=${boundary}` });
  const part = (name, head, content = 'x', boundary = 'b') =>
    request(`form ${name}`, { headers: type(boundary), payload: body(boundary, head, content) });
  const disposition = 'Content-Disposition: form-data; name=';
  yield part('boundary', `${disposition}"request"`, 'x', text);
  yield part('disposition', `Content-Disposition: ${text}`);
  yield part('name', `${disposition}"${text}"`);
  yield part('filename', `${disposition}"file"; filename="${text}"`);
  yield part('filename*', `${disposition}"file"; filename*=utf-8''${text}`);
  yield part('type', `${disposition}"file"; filename="a"\r\nContent-Type: ${text}`);
  yield part('header', `${disposition}"request"\r\n${text}: a`);
  yield part('content', `${disposition}"file"; filename="a"`, long(value, FIELD_CHARACTERS));
  yield part('frames', `${disposition}"file"; filename="a"`, '\r\n--b'.repeat(FRAME_COUNT));
  for (const name of properties) yield part(`field ${name}`, `${disposition}"${name}"`, long(value, FIELD_CHARACTERS));
}

/**
 * The CPU time that a hostile value costs, in milliseconds: the minimum over the attempts, less that of the plain request.
 * One attempt if it is within the bound, otherwise several, since a busy process does other work as well.
 */
export async function extraTime(inject, { request, plain }, bound, attempts) {
  const time = await leastTime(inject, request, bound, attempts);
  return time > bound ? time - (await leastTime(inject, plain, 0, attempts)) : time;
}

async function leastTime(inject, request, bound, attempts) {
  let least = Infinity;
  for (let attempt = 0; attempt < attempts && least > bound; attempt++) {
    const before = process.cpuUsage();
    await inject(request);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}
