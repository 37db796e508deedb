import { RATE, SpokenAudio } from './spoken.audio.js';

const FRAME = RATE / 100;
const sound = (ms: number, level = 1000) => new Int16Array((RATE * ms) / 1000).fill(level);

/** What is played, one number for each frame: its first sample; and what is reported. */
const aVoice = () => {
  const frames: number[] = [];
  const reports: string[] = [];
  const voice = new SpokenAudio(
    (frame) => {
      expect(frame).toHaveLength(FRAME);
      frames.push(frame[0]!);
    },
    (what, response_id) => reports.push(`${what} ${response_id}`),
    0,
  );
  return { voice, frames, reports };
};

it('plays silence, then each response as time passes, and says when it begins and ends to be heard', () => {
  const { voice, frames, reports } = aVoice();
  voice.advance(20);
  voice.add(sound(15), 'a');
  voice.add(sound(15, 2000), 'a');
  voice.advance(40);
  expect([frames, reports]).toEqual([[0, 0, 1000, 1000], ['started a']]);
  voice.end('a');
  voice.advance(49);
  expect(reports).toEqual(['started a']);
  voice.advance(60);
  expect(frames).toEqual([0, 0, 1000, 1000, 2000, 0]);
  expect(reports).toEqual(['started a', 'stopped a']);
});

it('goes on after a response that ran dry, and from one to the next', () => {
  const { voice, frames, reports } = aVoice();
  voice.add(sound(10), 'a');
  voice.advance(20);
  voice.add(sound(10, 7), 'a');
  voice.end('a');
  voice.add(sound(10, 8), 'b');
  voice.advance(50);
  expect(frames).toEqual([1000, 0, 7, 8, 0]);
  expect(reports).toEqual(['started a', 'stopped a', 'started b']);
});

it('stops at once what is playing, of which later sound is dropped', () => {
  const { voice, frames, reports } = aVoice();
  voice.cut();
  voice.add(sound(100), 'a');
  voice.advance(20);
  voice.cut();
  voice.add(sound(100), 'a');
  voice.cut('a');
  voice.end('a');
  voice.add(sound(10, 5), 'b');
  voice.advance(40);
  expect(frames).toEqual([1000, 1000, 5, 0]);
  expect(reports).toEqual(['started a', 'cleared a', 'started b']);
});

it('a response that is cut while another is heard does not end that one', () => {
  const { voice, frames, reports } = aVoice();
  voice.add(sound(20), 'a');
  voice.add(sound(20, 9), 'b');
  voice.advance(10);
  voice.cut('b');
  voice.advance(30);
  expect(frames).toEqual([1000, 1000, 0]);
  expect(reports).toEqual(['started a']);
});

it('after a long hiccup, no sound is lost or hurried', () => {
  const { voice, frames } = aVoice();
  voice.add(sound(30), 'a');
  voice.advance(60_000);
  expect(frames).toHaveLength(20);
  expect(frames.slice(0, 4)).toEqual([1000, 1000, 1000, 0]);
});
