// Renders every picture and video under assets/ from assets/avatars/*/portrait.svg, the only source.
// Only needed after a change of a portrait; building, testing and running the service do not need it.
//
// Requires ffmpeg with libvpx-vp9, and two npm packages that are not dependencies of the project:
//   npm install --no-save --prefix .cache/render @resvg/resvg-js@2.6.2 sharp@0.35.5
//   node scripts/assets/render.mjs [directory of these packages, default .cache/render]
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { LANGUAGES, languageBadge, startButton } from './badges.mjs';
import { CLOSE_UP, crop, pose, readPortrait } from './portrait.mjs';

const load = createRequire(join(resolve(process.argv[2] ?? '.cache/render'), 'package.json'));
const { Resvg } = load('@resvg/resvg-js');
const sharp = load('sharp');

const assets = resolve(import.meta.dirname, '../../assets');

const FPS = 25;
const SECONDS = 4;
const VIDEO_SIZE = 480;
const BLINK = ['eyes-half', 'eyes-closed', 'eyes-closed', 'eyes-half'];

// blinks: the first frames of blinks, different for each avatar so that three side by side do not blink in sync.
const AVATARS = [
  { id: 'ada', accent: '#e4593f', blinks: [32, 84] },
  { id: 'bruno', accent: '#2a7059', blinks: [18, 66] },
  { id: 'mira', accent: '#b8285f', blinks: [44, 52, 92] },
];

const ICONS = { small: 64, medium: 256, large: 512 };

const raster = (svg, size) => new Resvg(svg, { fitTo: { mode: 'width', value: size } }).render();

async function icons(folder, portrait) {
  for (const [name, size] of Object.entries(ICONS)) {
    const svg = name === 'small' ? crop(portrait, CLOSE_UP) : portrait;
    // Rendered larger, then downscaled: smoother edges than rendering at 64 pixels.
    const drawn = sharp(raster(svg, size * 2).asPng()).resize(size, size, { kernel: 'lanczos3' });
    await drawn
      .flatten()
      .webp({ quality: 90, effort: 6, smartSubsample: true })
      .toFile(join(folder, `${name}.webp`));
  }
}

function idleVideo(folder, portrait, blinks) {
  const total = FPS * SECONDS;
  const frames = [];
  for (let frame = 0; frame < total; frame++) {
    const begun = blinks.findLast((at) => at <= frame);
    const eyes = BLINK[frame - begun] ?? 'eyes-open';
    frames.push(raster(pose(portrait, frame / total, eyes), VIDEO_SIZE).pixels);
  }
  const input = ['-f', 'rawvideo', '-pix_fmt', 'rgba', '-s', `${VIDEO_SIZE}x${VIDEO_SIZE}`, '-r', `${FPS}`, '-i', '-'];
  // Browsers disagree on the colors of a video without a color space; this one must match the icons.
  const colour = ['-vf', 'scale=out_color_matrix=bt709:out_range=tv', '-pix_fmt', 'yuv420p', '-colorspace', 'bt709'];
  const curves = ['-color_primaries', 'bt709', '-color_trc', 'bt709', '-color_range', 'tv'];
  const codec = ['-c:v', 'libvpx-vp9', '-crf', '30', '-b:v', '0', '-deadline', 'good', '-cpu-used', '1', '-an'];
  const exact = ['-fflags', '+bitexact', '-flags:v', '+bitexact'];
  const output = ['-y', '-loglevel', 'error', join(folder, 'idle.webm')];
  execFileSync('ffmpeg', [...input, ...colour, ...curves, ...codec, ...exact, ...output], {
    input: Buffer.concat(frames),
  });
}

for (const { id, accent, blinks } of AVATARS) {
  const folder = join(assets, 'avatars', id);
  const portrait = readPortrait(folder);
  await icons(folder, portrait);
  writeFileSync(join(folder, 'start.svg'), startButton(id, portrait, accent));
  idleVideo(folder, portrait, blinks);
}

mkdirSync(join(assets, 'languages'), { recursive: true });
for (const code of Object.keys(LANGUAGES)) {
  writeFileSync(join(assets, 'languages', `${code}.svg`), languageBadge(code));
}
