import { poseAt } from '../face/pose.js';
import { Compositor } from '../frames/compositor.js';
import { encodeSegment, FRAME_RATE } from '../h264.js';
import { Movie } from '../movie.js';
import { stillOf } from './portrait.pieces.js';
import { type PortraitSource, readPortrait, type ViewBox } from './portrait.source.js';
import { loadRasterizer, pngOf } from '../frames/raster.js';

/** The files of an avatar besides its portrait, by file name. */
export type AvatarFiles = ReadonlyMap<string, Uint8Array>;

const IDLE_SIZE = 480;
/** Length of the idle video, which loops. */
const IDLE_SECONDS = 4;
const START_SIZE = 256;
const ACCENT = '#2f6fed';
const REST = [{ mouth: 'rest', opacity: 1 }] as const;

/** @throws PortraitError */
export async function avatarFiles(text: string): Promise<AvatarFiles> {
  const source = readPortrait(text);
  await loadRasterizer();
  const whole = windowOf(source.viewBox);
  return new Map([
    // At this size the face needs all the space.
    ['small.png', pngOf(stillOf(source, closeUp(source.viewBox)), 64)],
    ['medium.png', pngOf(stillOf(source, whole), 256)],
    ['large.png', pngOf(stillOf(source, whole), 512)],
    ['start.png', pngOf(startButton(source), START_SIZE)],
    ['idle.mp4', await idleVideo(source)],
  ]);
}

/** The portrait in a ring, with a play symbol. */
function startButton(source: PortraitSource): string {
  const portrait = stillOf(source, closeUp(source.viewBox), { x: '6', y: '6', width: '116', height: '116' });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 128 128">
  <clipPath id="start-button-ring"><circle cx="64" cy="64" r="56" /></clipPath>
  <circle cx="64" cy="64" r="63" fill="${ACCENT}" />
  <circle cx="64" cy="64" r="59" fill="#ffffff" />
  <g clip-path="url(#start-button-ring)">${portrait}</g>
  <circle cx="104" cy="104" r="23" fill="#ffffff" />
  <circle cx="104" cy="104" r="19.5" fill="${ACCENT}" />
  <path d="M99 95.5l14 8.5-14 8.5z" fill="#ffffff" stroke="#ffffff" stroke-width="3" stroke-linejoin="round" />
</svg>`;
}

async function idleVideo(source: PortraitSource): Promise<Uint8Array> {
  const compositor = await Compositor.of(source, IDLE_SIZE);
  const movie = new Movie(false, IDLE_SECONDS, () => undefined);
  for (let second = 0; second < IDLE_SECONDS; second++) {
    const draw = (frame: number) => compositor.draw(poseAt(second + frame / FRAME_RATE, IDLE_SECONDS), REST);
    await movie.addSegment(await encodeSegment(IDLE_SIZE, FRAME_RATE, draw));
  }
  return movie.finalizeMovie();
}

function windowOf({ x, y, size }: ViewBox): string {
  return `${x} ${y} ${size} ${size}`;
}

/** The face, which is slightly above the middle. */
function closeUp({ x, y, size }: ViewBox): string {
  return windowOf({ x: x + size / 24, y: y + size / 43, size: (size * 11) / 12 });
}
