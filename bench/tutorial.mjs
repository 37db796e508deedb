/** The usual tutorial: Express, Mongoose documents, jsonwebtoken with a string secret, and a count for has_more_messages. */
// oxlint-disable oxc/no-async-endpoint-handlers -- Express 5 handles them
import { randomUUID } from 'node:crypto';
import express from 'express';
import jwt from 'jsonwebtoken';
import mongoose from 'mongoose';
import { CONFIGURATION } from './configuration.mjs';
import { Avatar, Language, Message, Session } from './models.mjs';

const SECRET = String(process.env.JWT_SECRET);
const app = express();
app.use(express.json());

/** @param {any} request @param {any} response @param {() => void} next */
function authenticate(request, response, next) {
  const [scheme, token] = (request.headers.authorization ?? '').split(' ');
  if (scheme !== 'Bearer' || !token) return response.status(401).json({ error: 'missing_token' });
  try {
    request.user = jwt.verify(token, SECRET);
  } catch {
    return response.status(403).json({ error: 'invalid_token' });
  }
  next();
}

app.post('/jwt', (request, response) => {
  const { user_id, project_id = 'default' } = request.body;
  if (!user_id) return response.status(400).json({ error: 'invalid_user_id' });
  response.json({ result: 'success', jwt: jwt.sign({ user_id, project_id }, SECRET, { expiresIn: '24h' }) });
});

app.get('/connection', authenticate, async (/** @type {any} */ request, response) => {
  const { user_id, project_id } = request.user;
  const { _id: session } = await Session.create({
    _id: randomUUID(),
    project_id,
    user_id,
    expires_at: new Date(Date.now() + 86_400_000),
  });
  const [avatars_info, languages] = await Promise.all([Avatar.find(), Language.find()]);
  const { avatars_info: _a, languages: _l, ...settings } = CONFIGURATION;
  response.json({ status: 200, session, avatars_info, languages, ...settings });
});

app.get('/chat', authenticate, async (/** @type {any} */ request, response) => {
  const { user_id, per_page = 100, page = 1 } = request.query;
  const { project_id } = request.user;
  const skip = (Number(page) - 1) * Number(per_page);
  const [payload, total] = await Promise.all([
    Message.find({ project_id, user_id }).sort({ date: -1, _id: -1 }).skip(skip).limit(Number(per_page)),
    Message.countDocuments({ project_id, user_id }),
  ]);
  response.json({ payload, has_more_messages: total > skip + payload.length });
});

await mongoose.connect(String(process.env.MONGODB_URI));
app.listen(Number(process.env.PORT), '127.0.0.1', () => console.log('listening'));
