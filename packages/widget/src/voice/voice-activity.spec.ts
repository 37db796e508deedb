import { VoiceActivity } from './voice-activity.js';

const TICK = 50;
const ROOM = 0.004;
const VOICE = 0.2;

/** The events and their times for a sequence of levels, given as `[seconds, level]`. */
function notice(silence: number, course: [seconds: number, level: number][], factor = 1): string[] {
  const activity = new VoiceActivity(silence * 1000);
  const noticed: string[] = [];
  let now = 0;
  for (const [seconds, level] of course) {
    for (const end = now + seconds * 1000; now < end; now += TICK) {
      const event = activity.hear(level, now, factor);
      if (event) noticed.push(`${event} ${now / 1000}`);
    }
  }
  return noticed;
}

describe('voice activity', () => {
  it.each([1, 2, 5])('ends after the configured silence of %i s', (silence) => {
    const course: [number, number][] = [
      [1, ROOM],
      [1, VOICE],
      [10, ROOM],
    ];
    expect(notice(silence, course)).toEqual(['began 1.15', `ended ${1.95 + silence}`]);
  });

  it.each<[string, [number, number][]]>([
    ['a silent room', [[5, 0]]],
    [
      'a click',
      [
        [1, ROOM],
        [0.1, VOICE],
        [5, ROOM],
      ],
    ],
    ['a fan', [[10, 0.02]]],
    [
      'a fan that starts',
      [
        [2, ROOM],
        [30, 0.011],
      ],
    ],
  ])('does not begin with %s', (_, course) => {
    expect(notice(1, course)).toEqual([]);
  });

  it('continues across shorter pauses', () => {
    const course: [number, number][] = [
      [1, ROOM],
      [1, VOICE],
      [0.8, ROOM],
      [1, VOICE],
      [0.8, ROOM],
      [1, VOICE],
      [3, ROOM],
    ];
    expect(notice(1, course)).toEqual(['began 1.15', 'ended 6.55']);
  });

  it('detects speech in a loud room', () => {
    expect(
      notice(1, [
        [5, 0.03],
        [2, VOICE],
        [3, 0.03],
      ]).map((event) => event.split(' ')[0]),
    ).toEqual(['began', 'ended']);
  });

  it('begins later, or not at all, while the avatar may be audible', () => {
    expect(
      notice(1, [
        [1, ROOM],
        [2, 0.02],
        [2, ROOM],
      ]),
    ).toHaveLength(2);
    expect(
      notice(
        1,
        [
          [1, ROOM],
          [2, 0.02],
          [2, ROOM],
        ],
        2,
      ),
    ).toEqual([]);
  });
});
