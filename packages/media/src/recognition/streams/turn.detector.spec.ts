import { FRAME_MS, type TurnChange, TurnDetector } from './turn.detector.js';

const frames = (ms: number) => Math.round(ms / FRAME_MS);

/** Runs a rule on stretches of audio, each with a length in milliseconds, whether speech is detected, and a level. */
function changes(rule: TurnDetector, ...stretches: [ms: number, isSpeech: boolean, level?: number][]): string[] {
  const said: string[] = [];
  for (const [ms, isSpeech, level = isSpeech ? 1 : 0] of stretches)
    for (let n = frames(ms); n > 0; n--) {
      const change = rule.add(isSpeech, level);
      if (change) said.push(`${change.event} ${(placeOf(change) ?? rule.now) * FRAME_MS}`);
    }
  return said;
}

function placeOf(change: TurnChange): number | undefined {
  return 'at' in change ? change.at : undefined;
}

describe('TurnDetector', () => {
  const rule = (silence_ms?: number) => new TurnDetector(silence_ms);

  it('detects a turn from the start of its speech until its silence is long enough', () => {
    expect(changes(rule(512), [960, false], [1600, true], [1600, false])).toEqual([
      'started 960',
      'paused 2720',
      'stopped 3072',
    ]);
  });

  it.each<[string, [number, boolean, number?][]]>([
    ['silence', [[5000, false]]],
    ['noise that is not detected as speech', [[3000, false, 1]]],
    ['clicks', [[960, false], [96, true], [640, false], [96, true], [640, false]]], // prettier-ignore
    [
      'the beginning of music',
      [
        [960, false],
        [128, true],
        [2000, false, 1],
      ],
    ],
  ])('detects no turn in %s', (_, stretches) => {
    expect(changes(rule(512), ...stretches)).toEqual([]);
  });

  it('continues after a shorter pause', () => {
    expect(changes(rule(512), [640, true], [448, false], [640, true], [448, false])).toEqual([
      'started 0',
      'paused 800',
      'resumed 1120',
      'paused 1888',
    ]);
  });

  it('measures the silence from the end of the sound, not from its delayed detection', () => {
    const late = changes(rule(512), [640, true], [96, true, 0.01], [960, false]);
    expect(late).toEqual(['started 0', 'paused 800', 'stopped 1152']);
  });

  it('waits briefly for detection if somebody may be speaking again', () => {
    expect(changes(rule(512), [640, true], [480, false], [64, false, 0.5], [640, true])).toEqual([
      'started 0',
      'paused 800',
      'resumed 1216',
    ]);
    // A door, and continuous noise, do not cause a wait.
    expect(changes(rule(512), [640, true], [448, false], [960, false, 0.5])).toEqual([
      'started 0',
      'paused 800',
      'stopped 1152',
    ]);
  });

  it('ends a turn in noise, where levels are no help', () => {
    expect(changes(rule(512), [640, true, 1.2], [960, false, 0.9])).toEqual([
      'started 0',
      'paused 800',
      'stopped 1152',
    ]);
  });

  it('ends no turn by itself in push-to-talk mode', () => {
    const pushed = rule();
    expect(changes(pushed, [96, true], [60_000, false])).toEqual(['started 0', 'paused 256']);
    expect(pushed.silence).toBe(60_000);
    pushed.reset();
    expect(pushed.silence).toBeUndefined();
    expect(changes(pushed, [96, true])).toEqual(['started 60096']);
  });
});
