import { ChatService } from '../../src/index.js';
import { anOwner, anyServer, aTurn, aUser, createTestApp, type TestApp } from '../support/index.js';

const PROTOTYPE = Object.getOwnPropertyNames(Object.prototype);
const BOUNDARY = 'the-boundary';
const victim = anOwner();
const attacker = aUser();
const VICTIM = victim.user_id;

let test: TestApp;
let token: string;
let history: unknown;
beforeAll(async () => {
  test = await createTestApp({ server: anyServer() });
  await test.app.get(ChatService).record(aTurn({ owner: victim, request: 'for nobody else' }));
  history = await historyOf(VICTIM);
  token = await test.token(attacker);
});
afterAll(() => test.close());

const historyOf = async (user_id: string) =>
  (await test.call({ path: `/chat?user_id=${user_id}`, token: await test.token(user_id) })).body;
const asJson = (text: string) => ({ body: text, headers: { 'content-type': 'application/json' } });
const asForm = (fields: [name: string, value: string][], file = 'RIFF\0\0\0\0WAVEfmt ') => ({
  body: [
    ...fields.map(
      ([name, value]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    ),
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n${file}\r\n--${BOUNDARY}--\r\n`,
  ].join(''),
  headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
});
/** The expected response: an error code, or `own` for one's own empty history. */
const outcomeOf = ({ status, body }: { status: number; body: any }) =>
  status === 200 && Array.isArray(body.payload) ? (body.payload.length === 0 ? 'own' : body) : (body.error ?? status);

describe('operators, lists and prototypes in the query of GET /chat', () => {
  it.each([
    [`user_id[$ne]=x`, 'invalid_user_id'],
    [`user_id[$gt]=`, 'invalid_user_id'],
    [`user_id[$regex]=.*`, 'invalid_user_id'],
    [`user_id[]=${VICTIM}`, 'invalid_user_id'],
    [`user_id[0]=${VICTIM}`, 'invalid_user_id'],
    [`user_id=${attacker}&user_id=${VICTIM}`, 'invalid_user_id'],
    [`user_id=${VICTIM}&user_id=${attacker}`, 'invalid_user_id'],
    [`user_id={"$ne":""}`, 'invalid_user_id'],
    [`user_id=%7B%22%24ne%22%3A%22%22%7D`, 'invalid_user_id'],
    [`user_id=$where`, 'invalid_user_id'],
    [`user_id=.*`, 'invalid_user_id'],
    [`user_id=${attacker}%00`, 'invalid_user_id'],
    [`user_id=${attacker}%0A`, 'invalid_user_id'],
    [`user_id=${attacker}%20`, 'invalid_user_id'],
    [`user_id=%F0%9F%92%A3`, 'invalid_user_id'],
    [`user%5Fid=${VICTIM}`, 'user_not_found'],
    [`USER_ID=${VICTIM}`, 'invalid_user_id'],
    [`__proto__=${VICTIM}`, 'invalid_user_id'],
    [`__proto__[user_id]=${VICTIM}`, 'invalid_user_id'],
    [`constructor[prototype][user_id]=${VICTIM}`, 'invalid_user_id'],
    [`user_id=${attacker}&user_id[$ne]=x`, 'own'],
    [`user_id=${attacker}&project_id=other`, 'own'],
    [`user_id=${attacker}&project_id[$ne]=x`, 'own'],
    [`user_id=${attacker}&$or[0][user_id]=${VICTIM}`, 'own'],
    [`user_id=${attacker}&$where=1`, 'own'],
    [`user_id=${attacker}&__proto__[project_id]=x`, 'own'],
    [`user_id=${attacker}&hasOwnProperty=x&toString=x`, 'own'],
    [`user_id=${attacker}&before[$gt]=`, 'own'],
    [`user_id=${attacker}&before={"$gt":""}`, 'invalid_before'],
    [`user_id=${attacker}&before=a&before=b`, 'invalid_before'],
    [`user_id=${attacker}&before=$gt`, 'invalid_before'],
    [`user_id=${attacker}&page[$gt]=1`, 'own'],
    [`user_id=${attacker}&page={"$gt":0}`, 'invalid_page'],
    [`user_id=${attacker}&page=1&page=2`, 'invalid_page'],
    [`user_id=${attacker}&per_page=1&per_page=2`, 'invalid_per_page'],
    [`user_id=${attacker}&per_page=1e3`, 'invalid_per_page'],
    [`user_id=${attacker}&per_page=0x10`, 'invalid_per_page'],
  ])('%s', async (query, outcome) => {
    expect(outcomeOf(await test.call({ path: `/chat?${query}`, token }))).toEqual(outcome);
  });
});

describe('operators, lists and prototypes in the body of POST /jwt', () => {
  it.each([
    [`{"user_id":{"$ne":null}}`, 'invalid_user_id'],
    [`{"user_id":{"$gt":""},"project_id":{"$gt":""}}`, 'invalid_user_id'],
    [`{"user_id":["${VICTIM}"]}`, 'invalid_user_id'],
    [`{"user_id":[["${VICTIM}"]]}`, 'invalid_user_id'],
    [`{"user_id":{"toString":"x","length":3}}`, 'invalid_user_id'],
    [`{"user_id.$ne":""}`, 'invalid_user_id'],
    [`{"$where":"1"}`, 'invalid_user_id'],
    [`{"__proto__":{"user_id":"${VICTIM}"}}`, 'invalid_user_id'],
    [`{"constructor":{"prototype":{"user_id":"${VICTIM}"}}}`, 'invalid_user_id'],
    [`[{"user_id":"${VICTIM}"}]`, 'invalid_user_id'],
    [`"${VICTIM}"`, 'invalid_user_id'],
    [`{"user_id":"u","project_id":{"$ne":"x"}}`, 'invalid_project_id'],
    [`{"user_id":"u","project_id":["default"]}`, 'invalid_project_id'],
    [`{"user_id":"u","project_id":null}`, 'invalid_project_id'],
    [`{"user_id":"u","project_id":"default.x"}`, 'invalid_project_id'],
    [`{"user_id":"u","project_id":"$default"}`, 'invalid_project_id'],
    [`{"user_id":"u","project_id":"__proto__"}`, 'invalid_project_id'],
    [`{"user_id":"u","project_id":"constructor"}`, 'project_not_found'],
    [`{"user_id":"u","project_id":"toString"}`, 'project_not_found'],
    [`{"user_id":"u","__proto__":{"project_id":"x"},"$set":{"a":1},"a.b":{"$ne":1}}`, 200],
  ])('%s', async (text, outcome) => {
    expect(outcomeOf(await test.call({ method: 'POST', path: '/jwt', ...asJson(text) }))).toEqual(outcome);
  });
});

describe('operators, lists and prototypes in the body of POST /chat', () => {
  // If a field is there twice, the second counts.
  const turn = (field: string, value: string) => `{"avatar_id":"ada","request":"Hi","${field}":${value}}`;
  it.each([
    ['avatar_id', '{"$ne":""}', 'invalid_avatar_id'],
    ['avatar_id', '["ada"]', 'invalid_avatar_id'],
    ['avatar_id', '"$ada"', 'avatar_not_found'],
    ['avatar_id', '"__proto__"', 'avatar_not_found'],
    ['avatar_id', '"constructor"', 'avatar_not_found'],
    ['request', '{"$gt":""}', 'invalid_request'],
    ['request', '["Hi"]', 'invalid_request'],
    ['chat_type', '{"$ne":""}', 'invalid_chat_type'],
    ['chat_type', '["text"]', 'invalid_chat_type'],
    ['chat_type', '"constructor"', 'invalid_chat_type'],
    ['language_code', '{"$ne":""}', 'invalid_language_code'],
    ['language_code', '["en"]', 'invalid_language_code'],
    ['language_code', '"__proto__"', 'invalid_language_code'],
    ['session', '{"$ne":""}', 'invalid_session'],
    ['session', '{"$exists":true}', 'invalid_session'],
    ['session', '["a"]', 'invalid_session'],
    ['session', '"$ne"', 'invalid_session'],
  ])('%s: %s', async (field, value, outcome) => {
    const json = await test.call({ method: 'POST', path: '/chat', token, ...asJson(turn(field, value)) });
    expect(outcomeOf(json)).toEqual(outcome);
  });

  it.each([
    ['avatar_id[$ne]=&request=Hi', 'invalid_avatar_id'],
    ['avatar_id[]=ada&request=Hi', 'invalid_avatar_id'],
    ['avatar_id={"$ne":""}&request=Hi', 'avatar_not_found'],
    ['avatar_id=ada&avatar_id=ben&request=Hi', 'invalid_file'],
    ['avatar_id=ada&request=Hi&session={"$ne":""}', 'invalid_session'],
    ['avatar_id=ada&request=Hi&session=a&session=b', 'invalid_file'],
    ['__proto__=x&avatar_id=ada&request=Hi', 'bad_request'],
    ['constructor=x&avatar_id=ada&request=Hi', 'bad_request'],
    ['toString=x&avatar_id=ada&request=Hi', 'bad_request'],
    ['other=x&other=y&avatar_id=none&request=Hi', 'avatar_not_found'],
    ['file=x&avatar_id=none&request=Hi', 'avatar_not_found'],
  ])('as a form with %s', async (fields, outcome) => {
    const form = asForm([...new URLSearchParams(fields)]);
    expect(outcomeOf(await test.call({ method: 'POST', path: '/chat', token, ...form }))).toEqual(outcome);
  });

  it('leaves the attacker without a message', async () => {
    expect(await historyOf(attacker)).toEqual({ payload: [], has_more_messages: false });
  });

  it('accepts and stores text that looks like operators as text', async () => {
    const request = '{"$ne":null} $where __proto__ {{constructor}} ${7*7}';
    const owner = aUser();
    const said = await test.call({
      method: 'POST',
      path: '/chat',
      token: await test.token(owner),
      body: { avatar_id: 'ada', request, user_id: VICTIM, project_id: { $ne: '' }, $set: { user_id: VICTIM } },
    });
    expect(said).toMatchObject({ status: 201, body: { outgoing: { request, user_id: owner } } });
    expect((await historyOf(owner)).payload[1]).toEqual(said.body.outgoing);
  });
});

describe('operators, lists and prototypes in headers', () => {
  it.each<[string, Record<string, string>, string]>([
    ['authorization', { authorization: 'Bearer {"$ne":""}' }, 'invalid_token'],
    ['authorization', { authorization: 'Bearer [object Object]' }, 'invalid_token'],
    ['authorization', { authorization: '__proto__' }, 'missing_token'],
    ['a cookie', { cookie: 'token[$ne]=; jwt[$gt]=' }, 'missing_token'],
    ['idempotency-key', { 'idempotency-key': '{ "$ne": "" }' }, 'invalid_idempotency_key'],
    ['idempotency-key', { 'idempotency-key': 'a\u0000b' }, 'invalid_idempotency_key'],
    ['idempotency-key', { 'idempotency-key': 'é' }, 'invalid_idempotency_key'],
    ['content-type', { 'content-type': 'application/json; charset[$ne]=x' }, 'invalid_avatar_id'],
  ])('%s %j', async (name, headers, outcome) => {
    const open = /authorization|cookie/.test(name);
    const answer = await test.call({
      method: open ? 'GET' : 'POST',
      path: open ? `/chat?user_id=${VICTIM}` : '/chat',
      headers: { 'content-type': 'application/json', ...headers },
      ...(open ? {} : { token, body: '{}' }),
    });
    expect(outcomeOf(answer)).toBe(outcome);
  });

  it('accept an idempotency key that looks like an operator as a plain key', async () => {
    const talker = await test.token(aUser());
    const say = (key: string, request: string) =>
      test.call({
        method: 'POST',
        path: '/chat',
        token: talker,
        headers: { 'idempotency-key': key },
        body: { avatar_id: 'ada', request },
      });
    const first = await say('a-plain-one', 'Hello');
    for (const key of ['{"$ne":""}', '{"$exists":true}', '$ne', '__proto__', '[object_Object]', '.*']) {
      const other = await say(key, key);
      expect(other).toMatchObject({ status: 201, body: { outgoing: { request: key } } });
      expect((await say(key, key)).body).toEqual(other.body);
    }
    expect((await say('a-plain-one', 'Hello')).body).toEqual(first.body);
  });
});

it("leaves the victim's data, and the prototypes of objects, unchanged", async () => {
  expect(await historyOf(VICTIM)).toEqual(history);
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(PROTOTYPE);
});
