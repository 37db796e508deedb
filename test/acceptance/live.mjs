/**
 * A spoken conversation of ten turns in the live mode, by one and by four speakers at once, from recordings in real time, with
 * pauses, noise, clicks and an interruption. Checks that the events are as documented and the history as heard, and measures each stage.
 * Then opens many connections at once beyond the limit, and sends an hour of audio at once. Then runs the ten turns on the page in
 * Chromium, and with `@openai/agents-realtime`, and checks that both show the content of `GET /chat`. On the page, asks a
 * question with a pause in it, with a longer `stopSpeakingTimeoutSeconds`. Finally compares what turns cost with and without
 * functions of the client.
 *
 *   npm run verify -- live [--speakers 1,4] [--only speakers,refused,flood,page,pause,agents,tools]
 *
 * MODELS_DIR may name a directory with the model; Chromium is found, or named by CHROMIUM_PATH. Takes fifteen minutes.
 */
import { parseArgs } from '../../scripts/arguments.mjs';
import { talkByAgents } from './live/agents.mjs';
import { script } from './live/conversation.mjs';
import { flood } from './live/flood.mjs';
import { historyFaults, installModel, measure, refuse, startLive, startWithModel } from './live/measure.mjs';
import { pauseOnPage, talkOnPage } from './live/page.mjs';
import { ms, percentile, reportStages } from './live/stages.mjs';
import { reportWords } from './live/timeline.mjs';
import { measureTools } from './live/tools.mjs';
import { directory, Report } from './harness.mjs';

const { values } = parseArgs({
  options: {
    speakers: { type: 'string', default: '1,4' },
    only: { type: 'string', default: 'speakers,refused,flood,page,pause,agents,tools' },
  },
});
const parts = new Set(values.only.split(','));
const report = new Report('npm run verify -- live');
const modelsDir = installModel(directory);
const utterances = await script(directory);

for (const speakers of parts.has('speakers') ? values.speakers.split(',').map(Number) : []) {
  const service = await startLive(modelsDir);
  const { talks, share, peak, texts } = await measure(service, utterances, speakers);
  await service.stop();
  const who = speakers === 1 ? 'One speaker' : `${speakers} speakers at once`;
  const turns = talks.flatMap((talk) => talk.turns);
  if (speakers === 1)
    for (const { words, heard, answer, status, stages } of turns)
      console.log(
        `  said:     ${words}\n  heard:    ${heard}\n  answered: ${answer} (${status}, ${ms(stages.sound)})\n`,
      );

  const faults = talks.flatMap((talk) => [...talk.faults, ...historyFaults(talk)]);
  for (const fault of new Set(faults)) console.log(`  fault: ${fault}`);
  const expected = utterances.length * speakers;
  report.row(`${who}: turns`, String(expected), String(turns.length), turns.length === expected);
  report.row(`${who}: faults of events and histories`, '0', String(faults.length), faults.length === 0);
  const unheard = talks.reduce((sum, talk) => sum + talk.unheard, 0);
  report.row(`${who}: utterances in which no words were found, and which were said again`, '', String(unheard));
  reportWords(report, who, turns);

  const stages = turns.map((turn) => turn.stages);
  reportStages(report, who, stages, speakers === 1 ? { of: 'median', most: 600 } : { of: 'mean', most: 800 });
  const over = talks.flatMap(({ interruption }) => interruption ?? []);
  const last = over.map(({ sound }) => sound - 300);
  report.row(
    `${who}: interruption to the last sound, after 300 ms of speech`,
    '≤ 400 ms',
    last.map(ms).join(', '),
    Math.max(...last) <= 400,
  );
  report.row(
    `${who}: first frame of speech to speech_started, and to response.done`,
    '≤ 700, ≤ 1500 ms',
    over.map(({ started, done }) => `${ms(started)}, ${ms(done)}`).join('; '),
    over.every(({ started, done }) => started <= 700 && done <= 1500),
  );
  report.row(
    `${who}: response.create to the greeting's first sound`,
    '',
    talks.map(({ greetingMs }) => ms(greetingMs)).join(', '),
  );
  report.row(`${who}: share of a core, each`, '≤ 25 %', `${Math.round(100 * share)} %`, share <= 0.25);
  report.row(
    `${who}: memory of service and children (PSS), at most`,
    '≤ 400 MiB',
    `${Math.round(peak)} MiB`,
    peak <= 400,
  );
  if (texts.length === 0) continue;
  const slow = percentile(texts, 0.99);
  report.row(`${who}: GET /chat and GET /connection meanwhile, p99`, '≤ 50 ms', ms(slow), slow <= 50);
}
const ATTEMPTS = 1000;
if (parts.has('refused')) {
  const service = await startLive(modelsDir);
  const { refused, grownMiB, slowest, isWell } = await refuse(service, 4, ATTEMPTS);
  await service.stop();
  report.row(
    `${ATTEMPTS} connections at once without a place: refused with 503 and Retry-After`,
    String(ATTEMPTS),
    String(refused),
    refused === ATTEMPTS,
  );
  report.row('The other sessions go on, and a free place is given', 'yes', isWell ? 'yes' : 'no', isWell);
  report.row('Memory meanwhile, and the slowest text request', '', `${Math.round(grownMiB)} MiB more, ${ms(slowest)}`);
}
if (parts.has('flood')) {
  const service = await startLive(modelsDir);
  const { took, grownMiB, slowest, slowestText, faults } = await flood(service, 3600);
  await service.stop();
  report.row(
    'An hour of sound as fast as it is taken: errors in this and another session',
    '0',
    String(faults.length),
    faults.length === 0,
  );
  const seen = `${Math.round(took / 1000)} s, ${Math.round(grownMiB)} MiB more, ${ms(slowest)}, ${ms(slowestText)}`;
  report.row(
    'It took, memory meanwhile, the slowest event of the other, the slowest text request',
    '≤ 150 MiB more',
    seen,
    grownMiB <= 150,
  );
}
for (const [part, talk] of /** @type {const} */ ([
  ['page', talkOnPage],
  ['agents', talkByAgents],
])) {
  if (!parts.has(part)) continue;
  const service = await startLive(modelsDir);
  await talk(report, service, utterances, directory);
  await service.stop();
}
if (parts.has('pause')) await pauseOnPage(report, modelsDir, directory);
if (parts.has('tools')) {
  const service = await startWithModel(modelsDir, directory);
  const { typed, spoken } = await measureTools(service, utterances[0].samples);
  await service.stop();
  for (const [kind, took] of Object.entries({ typed, spoken }))
    report.row(
      `Processor time of the serving process per ${kind} turn, and with 20 functions of the client that are not called`,
      '≤ 5 % more',
      `${took.without.toFixed(1)} ms, ${took.more.toFixed(1)} ms more`,
      took.more <= 0.05 * took.without,
    );
}
report.end();
