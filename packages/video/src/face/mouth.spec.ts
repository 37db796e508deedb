import { BASIC_MOUTHS, drawnMouth, mouthFor, MOUTHS, MouthTimes } from './mouth.js';

it.each([
  ['p', 'closed'],
  ['m', 'closed'],
  ['f', 'lip'],
  ['tʃ', 'teeth'],
  ['θ', 'tongue'],
  ['n', 'tongue'],
  ['uː', 'pursed'],
  ['oʊ', 'round'],
  ['aɪ', 'open-wide'],
  ['ɑ̃', 'open-wide'],
  ['iː', 'spread'],
  ['ej', 'spread'],
  ['h', 'open-small'],
  ['', 'open-small'],
])('the mouth for %p is %s', (phoneme, mouth) => {
  expect(mouthFor(phoneme)).toBe(mouth);
});

describe('MouthTimes', () => {
  const times = new MouthTimes([
    { phoneme: 'm', start: 0.1, end: 0.2 },
    { phoneme: 'ɑː', start: 0.2, end: 0.5 },
    { phoneme: 'b', start: 0.55, end: 0.7 },
    { phoneme: 'uː', start: 1, end: 1.2 },
  ]);

  it.each([
    [-1, 'rest'],
    [0.1, 'closed'],
    [0.19, 'closed'],
    [0.2, 'open-wide'],
    [0.54, 'open-wide'],
    [0.6, 'closed'],
    [0.7, 'rest'],
    [1.1, 'pursed'],
    [1.2, 'rest'],
    [99, 'rest'],
  ])('at %d s it is %s', (seconds, mouth) => {
    expect(times.at(seconds)).toBe(mouth);
  });

  it('falls back to the basic shapes of a portrait that draws only these, without duplicates', () => {
    const spoken = ['l', 'iː', 'w', 'oː', 'f'].map((phoneme, index) => ({ phoneme, start: index, end: index + 1 }));
    const basic = new MouthTimes(spoken, () => false);
    expect([0, 1, 2, 3, 4].map((time) => basic.at(time))).toEqual([
      'open-small',
      'open-small',
      'round',
      'round',
      'teeth',
    ]);
    expect(basic.seenAt(1)).toEqual([{ mouth: 'open-small', opacity: 1 }]);
    expect(MOUTHS.map((mouth) => drawnMouth(mouth, () => false)).toSorted()).toEqual(
      [...BASIC_MOUTHS, 'open-small', 'open-small', 'round', 'teeth'].toSorted(),
    );
  });

  it('fades from one shape into the next, half of the fade before the sound', () => {
    expect(times.seenAt(0.3)).toEqual([{ mouth: 'open-wide', opacity: 1 }]);
    const [below, above] = times.seenAt(0.2);
    expect(below).toEqual({ mouth: 'closed', opacity: expect.closeTo(0.5) });
    expect(above).toEqual({ mouth: 'open-wide', opacity: expect.closeTo(0.5) });
    expect(times.seenAt(0.215)[1]!.opacity).toBeCloseTo(0.75);
  });

  it('is at rest without phonemes', () => {
    expect(new MouthTimes([]).seenAt(3)).toEqual([{ mouth: 'rest', opacity: 1 }]);
  });

  it('tolerates phonemes out of order', () => {
    const odd = new MouthTimes([
      { phoneme: 'a', start: 2, end: 3 },
      { phoneme: 'm', start: 1, end: 2 },
    ]);
    expect(odd.at(2.5)).toBe('rest');
    expect(odd.at(1)).toBe('rest');
  });
});
