/**
 * The cost and latency of answer videos, and whether they play: processor time per second of video, time to the first bytes, ten
 * at once with other clients served meanwhile, and answers of the three shipped avatars in three languages. Their lip sync is
 * measured (with ffmpeg), and they are played from a plain <video> in the installed browsers.
 *
 *   npm run verify -- video [--keep DIRECTORY] [--only cost,speed,crowd,answers]
 */
import 'reflect-metadata';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from '../../scripts/arguments.mjs';
import { ask, directory, metric, Report, startService, tokenOf, untilReady } from './harness.mjs';
import { lipsOf, playIn, players, probe } from './video.players.mjs';

const AVATARS = ['ada', 'bruno', 'mira'];
const REQUESTS = { en: 'Hello!', de: 'Hallo!', es: '¡Hola!' };
const SIZE = 480;
const RUNS = 3;
const CROWD = 10;
const MIB = 2 ** 20;

const { values } = parseArgs({ options: { keep: { type: 'string' }, only: { type: 'string' } } });
const isWanted = (part) => values.only?.split(',').includes(part) ?? true;
const report = new Report('npm run verify -- video');
const median = (figures) => figures.toSorted((a, b) => a - b)[figures.length >> 1];
const processorMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** For this process with all threads: processor seconds per second of video, and milliseconds to the first chunk. */
async function costs() {
  const { EspeakSpeaker } = await import('avatar-chat-models');
  const { Compositor } = await import('../../packages/video/dist/frames/compositor.js');
  const { readPortrait } = await import('../../packages/video/dist/portrait/portrait.source.js');
  const { Rendering } = await import('../../packages/video/dist/rendering.js');
  const speaker = new EspeakSpeaker(() => console);
  const text = `${'I like to talk about music, and about what we can do today. '.repeat(2)}Which song do you like best?`;
  const spoken = await speaker.speak({
    text,
    language_code: 'en',
    entry: { kind: 'espeak' },
    signal: AbortSignal.timeout(60_000),
  });
  if (!spoken) throw new Error('The text was not spoken');
  const { audio, phonemes } = spoken;
  await speaker.onApplicationShutdown();
  /** @type {{ whole: number[], first: number[] }} */
  const seen = { whole: [], first: [] };
  for (const name of AVATARS) {
    const source = readPortrait(readFileSync(`assets/avatars/${name}/portrait.svg`, 'utf8'));
    const compositor = await Compositor.of(source, SIZE);
    // The first run warms up the JIT compiler.
    for (let run = 0; run <= RUNS; run++) {
      const began = processorMs();
      let pieces = 0;
      let first = 0;
      const rendering = await Rendering.create(compositor, audio.slice(), phonemes, () => {
        if (++pieces === 2) first = processorMs() - began;
      });
      while (!(await rendering.renderSegment()));
      await rendering.stop();
      if (run > 0) seen.whole.push((processorMs() - began) / 1000 / rendering.progress);
      if (run > 0) seen.first.push(first);
    }
  }
  return seen;
}

if (isWanted('cost')) {
  const { whole, first } = await costs();
  const cost = median(whole);
  report.row(
    `Processor time of a second of video at ${SIZE}×${SIZE}: median of ${whole.length} renderings of three avatars`,
    '≤ 0.3 s',
    `${cost.toFixed(2)} s (${Math.min(...whole).toFixed(2)} to ${Math.max(...whole).toFixed(2)})`,
    cost <= 0.3,
  );
  report.row('Processor time until its first fragment, median', 'for information', `${median(first).toFixed(0)} ms`);
}

const service = await startService({ MONGODB_URI: 'embedded::memory:', SPEECH_MODELS: 'off', RATE_LIMIT: 'off' });
const { port } = service;
await untilReady(port);
const memory = async () => (await metric(port, 'process_resident_memory_bytes')) / MIB;

async function answer(avatar_id, language_code = 'en', user = 'ann') {
  const body = { avatar_id, request: REQUESTS[language_code], chat_type: 'video', language_code };
  const token = await tokenOf(port, user);
  const { status, body: turn } = await ask(port, '/chat', { method: 'POST', token, body });
  if (status !== 201) throw new Error(`A turn was answered with ${status}`);
  return turn.incoming.fileUrl;
}
/** Reads a video. @returns milliseconds until the first frames, which follow the file header, and its bytes */
async function watch(url) {
  const began = performance.now();
  const response = await fetch(url);
  const pieces = [];
  let first;
  for await (const piece of /** @type {AsyncIterable<Uint8Array>} */ (response.body)) {
    pieces.push(piece);
    if (first === undefined && Buffer.concat(pieces).includes('moof')) first = performance.now() - began;
  }
  return { type: response.headers.get('content-type'), first: first ?? Infinity, bytes: Buffer.concat(pieces) };
}
/** The file, once it is stored. */
async function whole(url) {
  for (let n = 0; n < 600; n++) {
    const response = await fetch(url);
    const bytes = Buffer.from(await response.arrayBuffer());
    if (response.headers.has('etag')) return bytes;
    await sleep(100);
  }
  throw new Error('A video was never stored');
}

if (isWanted('speed')) {
  const rest = await memory();
  for (const avatar of AVATARS) await watch(await answer(avatar));
  const firsts = [];
  for (let n = 0; n < RUNS * AVATARS.length; n++)
    firsts.push((await watch(await answer(AVATARS[n % AVATARS.length]))).first);
  report.row(
    `The first frames of a warm avatar over HTTP, median of ${firsts.length}`,
    '≤ 300 ms',
    `${median(firsts).toFixed(0)} ms (${Math.min(...firsts).toFixed(0)} to ${Math.max(...firsts).toFixed(0)})`,
    median(firsts) <= 300,
  );
  report.row(
    'Memory of the process before the first video, and after these',
    'for information',
    `${rest.toFixed(0)} and ${(await memory()).toFixed(0)} MiB`,
  );
}

if (isWanted('crowd')) {
  const urls = await Promise.all(
    Array.from({ length: CROWD }, (_, n) => answer(AVATARS[n % AVATARS.length], 'en', `viewer${n}`)),
  );
  const token = await tokenOf(port, 'reader');
  let isOver = false;
  let most = 0;
  const times = [];
  const failed = [];
  /** @type {Parameters<typeof ask> extends [any, ...infer Rest] ? Rest[] : never} */
  const requests = [
    ['/connection', { token }],
    ['/chat?user_id=reader', { token }],
    ['/chat', { method: 'POST', token, body: { avatar_id: 'ada', request: 'Hello', chat_type: 'text' } }],
    ['/jwt', { method: 'POST', body: { user_id: 'reader' } }],
  ];
  const others = (async () => {
    for (let n = 0; !isOver; n++) {
      const { ms, status } = await ask(port, ...requests[n % requests.length]);
      times.push(ms);
      if (status < 200 || status > 299) failed.push(status);
      if (n % 20 === 0) most = Math.max(most, await memory());
      await sleep(10);
    }
  })();
  const videos = await Promise.all(urls.map(watch));
  isOver = true;
  await others;
  const starts = videos.map(({ first }) => first / 1000);
  const areVideos = videos.every(({ type }) => type === 'video/mp4');
  report.row(
    `${CROWD} renderings asked for at once: the last begins after`,
    '≤ 5 s',
    `${Math.max(...starts).toFixed(2)} s, ${videos.filter(({ type }) => type === 'video/mp4').length} of ${CROWD} are videos`,
    areVideos && Math.max(...starts) <= 5,
  );
  report.row('The same: memory of the process, at most', '≤ 400 MiB', `${most.toFixed(0)} MiB`, most <= 400);
  const p99 = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)];
  report.row(
    `The same: ${times.length} requests for text meanwhile, 99th percentile`,
    '≤ 50 ms, 0 failed',
    `${p99.toFixed(0)} ms, ${failed.length} failed`,
    p99 <= 50 && failed.length === 0,
  );
}

if (isWanted('answers')) {
  const keep = values.keep ?? join(directory, 'answers');
  mkdirSync(keep, { recursive: true });
  const files = [];
  for (const avatar of AVATARS)
    for (const language of Object.keys(REQUESTS)) {
      const url = await answer(avatar, language);
      const file = join(keep, `${avatar}-${language}.mp4`);
      writeFileSync(file, await whole(url));
      files.push({ file, what: `${avatar}, ${language}`, url: await answer(avatar, language) });
    }
  const formats = files.map(({ file }) => probe(file));
  const wanted = `h264 Baseline yuv420p ${SIZE}x${SIZE} 25/1, aac LC`;
  report.row(
    'Answers of three avatars in three languages: format, by ffprobe',
    wanted,
    [...new Set(formats)].join('; '),
    formats.every((format) => format === undefined || format.replace('Constrained ', '') === wanted),
  );
  const lips = files.map(({ file, what }) => ({ what, ...lipsOf(file) }));
  report.row(
    'The same: by how much the lips are behind the sound, by the correlation of the mouth’s area with loudness',
    'within ± 40 ms (at least 0.35)',
    lips.map(({ what, lag, correlation }) => `${what}: ${lag} ms (${correlation?.toFixed(2)})`).join('; '),
    lips.every(({ lag, correlation = 1 }) => lag === undefined || (Math.abs(lag) <= 40 && correlation >= 0.35)),
  );
  for (const { name, launch } of players()) {
    // Not rendered before: the browser gets the stream, then the whole file.
    const played = await playIn(launch, files, values.keep && join(keep, name));
    const good = played.filter(({ isPlayed }) => isPlayed);
    report.row(
      `The same, played from a plain <video> in ${name}: streamed, and again as a file`,
      `${2 * files.length} of ${2 * files.length} to their ends`,
      `${good.length} of ${played.length}; the first frame after ${median(played.map(({ first }) => first)).toFixed(0)} ms`,
      good.length === 2 * files.length,
    );
    for (const { what, fault } of played) if (fault) console.log(`${name}: ${what}: ${fault}`);
  }
}
await service.stop();
report.end();
