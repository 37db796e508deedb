/** The floor: the minimum that returns the same responses. No framework, no validation, no error handling, no log, no metrics. */
import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { mongo } from 'mongoose';
import { CONFIGURATION } from './configuration.mjs';

const key = createSecretKey(String(process.env.JWT_SECRET), 'utf8');
const client = await new mongo.MongoClient(String(process.env.MONGODB_URI)).connect();
const messages = client.db().collection('messages');
/** @type {mongo.Collection<any>} */
const sessions = client.db().collection('sessions');
const HEADER = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url');
const DAY = 86_400;
/** The fields of a stored message that are not part of the response. */
const HIDDEN = { project_id: 0, follows: 0, answers: 0 };

const mac = (text) => createHmac('sha256', key).update(text).digest('base64url');

function issue(user_id) {
  const iat = Math.floor(Date.now() / 1000);
  const claims = { sub: user_id, project: 'default', iat, exp: iat + DAY };
  const text = `${HEADER}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
  return `${text}.${mac(text)}`;
}

function verify(authorization) {
  const token = authorization.slice('Bearer '.length);
  const end = token.lastIndexOf('.');
  if (mac(token.slice(0, end)) !== token.slice(end + 1)) throw new Error('bad token');
  return JSON.parse(Buffer.from(token.slice(token.indexOf('.') + 1, end), 'base64url').toString());
}

async function page(user_id, per_page, number) {
  const payload = await messages
    .find({ project_id: 'default', user_id }, { projection: HIDDEN })
    .sort({ date: -1, _id: -1 })
    .skip((number - 1) * per_page)
    .limit(per_page + 1)
    .toArray();
  const has_more_messages = payload.length > per_page;
  if (has_more_messages) payload.pop();
  return { payload, has_more_messages };
}

async function open(user_id) {
  const session = randomBytes(16).toString('base64url');
  const expires_at = new Date(Date.now() + DAY * 1000);
  await sessions.insertOne({ _id: session, project_id: 'default', user_id, expires_at });
  return { status: 200, session, ...CONFIGURATION };
}

async function answer(request) {
  if (request.method === 'POST') {
    let body = '';
    for await (const piece of request) body += piece;
    return { result: 'success', jwt: issue(JSON.parse(body).user_id) };
  }
  const { sub } = verify(request.headers.authorization);
  if (request.url === '/connection') return open(sub);
  const query = new URLSearchParams(request.url.slice(request.url.indexOf('?') + 1));
  return page(query.get('user_id'), Number(query.get('per_page') ?? 100), Number(query.get('page') ?? 1));
}

createServer(async (request, response) => {
  const body = JSON.stringify(await answer(request));
  response
    .writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body) })
    .end(body);
}).listen(Number(process.env.PORT), '127.0.0.1', () => console.log('listening'));
