/** The shapes of eyes, each of which a portrait draws in the layer `eyes-` and its name. */
export const EYES = ['open', 'half', 'closed'] as const;
export type Eyes = (typeof EYES)[number];

/** Moves a layer, in units of the drawing. */
export interface Shift {
  readonly x: number;
  readonly y: number;
}

/** Where everything but the mouth is. What is inside of a layer that moves, moves with it. */
export interface Pose {
  /** The layers `head` and `hair-back`: turned about {@link NECK}, then moved. */
  readonly head: Shift & { readonly degrees: number };
  /** The layer `features`, in the head. */
  readonly features: Shift;
  /** The layer `irises`, in the features: where it looks. */
  readonly irises: Shift;
  /** The layer `body`. */
  readonly body: Shift;
  readonly eyes: Eyes;
}

/** The place in the drawing about which a head turns. */
export const NECK: Shift = { x: 256, y: 345 };
/** How far from there a head's farthest point is. */
const CROWN = 300;

const BLINK_EVERY = 3.4;
const FIRST_BLINK = 1.3;
/** Up to which second of a blink the eyes are how far open. */
const BLINK: readonly [number, Eyes][] = [
  [0.04, 'half'],
  [0.12, 'closed'],
  [0.16, 'half'],
];
/** How long a look stays where it is, and how long it takes to get to the next place. */
const LOOK = 2.3;
const LOOK_TURN = 0.08;

/**
 * The pose at a time in seconds. It looks natural and is always the same.
 *
 * @param loop after how many seconds it repeats; left out, it does not
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

/** How far what moves most is from one pose to another, in units of the drawing; infinitely far where the eyes are others. */
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

/** The period nearest to one that fits into a loop a whole number of times. */
function fitted(period: number, loop?: number): number {
  return loop === undefined ? period : loop / Math.max(1, Math.round(loop / period));
}

/** From 0 to 1, as if by chance, and always the same for the same number. */
function scattered(number: number): number {
  const value = Math.sin(number * 12.9898 + 4.1414) * 43_758.5453;
  return value - Math.floor(value);
}
