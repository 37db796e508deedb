/**
 * Runs the speaker contract on a Piper model, under Node's test runner.
 *
 *   node test/acceptance/piper.mjs /models/en_US-joe-medium.onnx
 */
import 'reflect-metadata';
import { after, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Config, SystemClock } from '../../dist/platform/config/index.js';
import { EspeakSpeaker, PiperSpeaker } from 'avatar-chat-models';

/** The bundled speaker. @param {EspeakSpeaker} espeak */
export const createPiper = (espeak) => new PiperSpeaker(new Config(), new SystemClock(), espeak, () => console);

const [, program, model] = process.argv;
if (import.meta.url === pathToFileURL(program ?? '').href) {
  Object.assign(globalThis, { describe, it: (name, test) => it(name, test) });
  const { speakerContract } = await import('../../dist/testing/speaker.contract.js');
  const espeak = new EspeakSpeaker(() => console);
  const piper = createPiper(espeak);
  after(() => Promise.all([piper.onApplicationShutdown(), espeak.onApplicationShutdown()]));
  speakerContract('Piper', () => piper, {
    entry: { kind: 'piper', model },
    text: 'Hello! How are you today?',
    language_code: 'en',
  });
}
