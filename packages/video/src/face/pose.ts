/** The eye shapes, each of which a portrait draws in the layer `eyes-NAME`. */
export const EYES = ['open', 'half', 'closed'] as const;
export type Eyes = (typeof EYES)[number];

/** Translation of a layer, in units of the drawing. */
export interface Shift {
  readonly x: number;
  readonly y: number;
}

/** The position of everything except the mouth. Nested layers move with their parents. */
export interface Pose {
  /** The layers `head` and `hair-back`: rotated about {@link NECK}, then translated. */
  readonly head: Shift & { readonly degrees: number };
  /** The layer `features`, inside the head. */
  readonly features: Shift;
  /** The layer `irises`, inside the features: the direction of the look. */
  readonly irises: Shift;
  readonly body: Shift;
  readonly eyes: Eyes;
}

/** The pivot of the head in the drawing. */
export const NECK: Shift = { x: 256, y: 345 };
/** Distance of the head's farthest point from the pivot. */
const CROWN = 300;

const BLINK_EVERY = 3.4;
const FIRST_BLINK = 1.3;
/** Keyframes of a blink: until which second the eyes are how far open. */
const BLINK: readonly [number, Eyes][] = [
  [0.04, 'half'],
  [0.12, 'closed'],
  [0.16, 'half'],
];
/** How long a look is held, and how long the move to the next one takes. */
const LOOK = 2.3;
const LOOK_TURN = 0.08;

/**
 * The pose at a time in seconds. Looks natural and is deterministic.
 *
 * @param loop period of a loop in seconds; by default it does not loop
 */
export function poseAt(seconds: number, loop?: number): Pose {
  const wave = (period: number, phase = 0) => Math.sin((2 * Math.PI * seconds) / fitted(period, loop) + phase);
  const sway = wave(4.2);
  return {
    head: { x: 2.5 * sway, y: -1.5 * (1 + wave(2.9)), degrees: 1.4 * sway },
    features: { x: 2.4 * sway, y: 0.8 * wave(2.1) },
    irises: loop === undefined ? lookAt(seconds) : { x: -1.2 * sway, y: 0 },
    body: { x: 0, y: -1.5 * (1 + wave(4)) },
    eyes: eyesAt(seconds, loop),
  };
}

/** The largest displacement between two poses, in units of the drawing; infinite if the eyes differ. */
export function movedBy(one: Pose, other: Pose): number {
  if (one.eyes !== other.eyes) return Infinity;
  const between = (a: Shift, b: Shift) => Math.hypot(a.x - b.x, a.y - b.y);
  const turned = (Math.abs(one.head.degrees - other.head.degrees) * Math.PI) / 180;
  return Math.max(
    between(one.head, other.head) + turned * CROWN,
    between(one.features, other.features),
    between(one.irises, other.irises),
    between(one.body, other.body),
  );
}

function eyesAt(seconds: number, loop?: number): Eyes {
  const every = fitted(BLINK_EVERY, loop);
  const number = Math.floor(seconds / every);
  const begins = FIRST_BLINK + (loop === undefined ? 1.4 * scattered(number) : 0);
  const into = seconds - number * every - begins;
  return into < 0 ? 'open' : (BLINK.find(([end]) => into < end)?.[1] ?? 'open');
}

function lookAt(seconds: number): Shift {
  const number = Math.floor(seconds / LOOK);
  const turned = Math.min(1, (seconds - number * LOOK) / LOOK_TURN);
  const from = lookNumber(number - 1);
  const to = lookNumber(number);
  return { x: from.x + turned * (to.x - from.x), y: from.y + turned * (to.y - from.y) };
}

/** Every other look is straight ahead. */
function lookNumber(number: number): Shift {
  if (number <= 0 || number % 2 === 0) return { x: 0, y: 0 };
  return { x: 3.2 * (scattered(number) - 0.5), y: 1.4 * (scattered(number + 0.5) - 0.5) };
}

/** The nearest period that divides the loop evenly. */
function fitted(period: number, loop?: number): number {
  return loop === undefined ? period : loop / Math.max(1, Math.round(loop / period));
}

/** A pseudo-random value from 0 to 1, deterministic for the same number. */
function scattered(number: number): number {
  const value = Math.sin(number * 12.9898 + 4.1414) * 43_758.5453;
  return value - Math.floor(value);
}
