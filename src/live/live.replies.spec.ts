import { LiveReplies } from './live.replies.js';

const none = {} as never;
const replies = (begin: () => Promise<void>) =>
  new LiveReplies(none, none, none, { begin } as never, none, { now: () => 0 } as never);
const said = {
  owner: {},
  resolved: { project: { settings: { greet: true, messageTimeoutSeconds: 1 } } },
  avatar: { _id: 'ada', name: 'Ada', greetingText: '' },
  chat_type: 'voice',
  language_code: 'en',
} as never;

it('an avatar without its own greeting is asked to greet', () => {
  const reply = replies(async () => undefined).greeting(said);
  reply.leave();
  expect(reply.cue).toBe('Greet the user.');
});

it('a greeting fails if it cannot be stored', async () => {
  const reply = replies(() => Promise.reject(new Error('x'))).greeting(said);
  await expect(reply.begin('id', 'Hello')).rejects.toThrow('x');
  reply.leave();
});
