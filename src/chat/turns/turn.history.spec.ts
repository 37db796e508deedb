import type { RecentAnswer } from '../../messages/index.js';
import { saidOnce } from './turn.history.js';

const answer = (_id: string, request: string, rest: Partial<RecentAnswer> = {}): RecentAnswer => ({
  _id,
  request,
  answer: `answer ${_id}`,
  avatar_id: 'ada',
  date: 1,
  ...rest,
});
const requestsOf = (recent: RecentAnswer[]) => recent.map(({ request }) => request);

it('a message that nobody asked for does not repeat what the user said before', () => {
  const unasked = answer('3', 'Hi', { follows: '2' });
  expect(requestsOf(saidOnce([unasked, answer('2', 'Hi', { follows: '1', answers: '1' })]))).toEqual(['', 'Hi']);
});

it('what a user says twice stays, also if it was imported', () => {
  const said = [answer('4', 'Yes', { follows: '3', answers: '3' }), answer('2', 'Yes', { follows: '1', answers: '1' })];
  expect(requestsOf(saidOnce(said))).toEqual(['Yes', 'Yes']);
  expect(requestsOf(saidOnce([answer('2', 'Yes'), answer('1', 'Yes')]))).toEqual(['Yes', 'Yes']);
});

it('what a user says twice to a person stays, and the person’s answer does not repeat it', () => {
  const said = (_id: string, follows: string) => ({ ...answer(_id, 'Yes', { follows }), answer: undefined });
  const recent = [answer('4', 'Yes', { follows: '3' }), said('3', '2'), said('2', '1')] as RecentAnswer[];
  expect(requestsOf(saidOnce(recent))).toEqual(['', 'Yes', 'Yes']);
});
