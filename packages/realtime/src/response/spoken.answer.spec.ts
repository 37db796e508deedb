import { SpokenAnswer } from './spoken.answer.js';

const anAnswer = () => {
  const answer = new SpokenAnswer();
  answer.add('One two. ', [
    { text: 'One ', start: 0, end: 300 },
    { text: 'two. ', start: 300, end: 700 },
  ]);
  answer.add('Three.', [{ text: 'Three.', start: 800, end: 1200 }]);
  answer.sent = 1300;
  return answer;
};

describe('of an answer', () => {
  it('everything was heard if nothing was truncated', () => {
    expect(anAnswer().heard).toBe('One two. Three.');
  });

  it.each([
    [0, ''],
    [299, ''],
    [300, 'One'],
    [799, 'One two.'],
    [1199, 'One two.'],
    [1200, 'One two. Three.'],
  ])('truncated at %d ms, only whole words were heard', (at, heard) => {
    const [interrupted, truncated] = [anAnswer(), anAnswer()];
    interrupted.interrupt(at);
    truncated.truncate(at);
    expect([interrupted.heard, truncated.heard]).toEqual([heard, heard]);
  });

  it('a cut is within the audio, and never extends it', () => {
    const answer = anAnswer();
    expect(answer.truncate(60_000)).toBe(1300);
    expect(answer.truncate(400)).toBe(400);
    expect(answer.truncate(900)).toBe(400);
    expect(answer.truncate(-7)).toBe(0);
    expect(answer.heard).toBe('');
  });

  it("the client's position takes precedence over the clock", () => {
    const answer = anAnswer();
    answer.interrupt(350);
    answer.interrupt(900);
    expect(answer.heard).toBe('One');
    answer.truncate(750);
    expect(answer.heard).toBe('One two.');
  });

  it('zero-length words at the end were heard if the answer was complete', () => {
    const answer = new SpokenAnswer();
    answer.add('Hello :)', [
      { text: 'Hello ', start: 0, end: 400 },
      { text: ':)', start: 400, end: 400 },
    ]);
    answer.sent = 400;
    answer.truncate(400);
    expect(answer.heard).toBe('Hello :)');
  });
});
