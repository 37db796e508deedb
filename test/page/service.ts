import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Module } from '@nestjs/common';
import { CatalogueService, Transcriber } from '../../src/index.js';
import { SpeechService } from '../../src/speech/index.js';
import { PUPPET, PuppetModule } from '../support/engines.js';
import { anyServer, aProxy, createTestApp, type Proxy, type TestApp } from '../support/index.js';
import type { Config } from '../../src/index.js';
import { LoudnessListener } from './loudness.listener.js';

/** Returns the same transcript for every recording. */
@Injectable()
class DeafTranscriber extends Transcriber {
  readonly kind = 'deaf';
  validate = () => [];
  transcribe = async () => 'Tell me a story';
}

@Module({ providers: [DeafTranscriber] })
class DeafModule {}

export interface PageService {
  test: TestApp;
  /** A proxy that injects faults. */
  proxy: Proxy;
  /** The page of a user. */
  page(user_id: string, query?: string): string;
  close(): Promise<void>;
}

const settings = {
  messageTimeoutSeconds: 30,
  stopSpeakingTimeoutSeconds: 0.5,
  vadEnabled: true,
  voiceModeSelector: true,
};
/** A file that does not exist. */
const MISSING = '/assets/missing';
const unseen = {
  ...PUPPET,
  previewIcons: { small: MISSING, medium: MISSING, large: MISSING },
  startButtonIcon: MISSING,
  idleVideo: MISSING,
};
const avatar = { avatars: ['ada', 'bruno', 'puppet'], languages: ['en', 'ar'] };

/**
 * The service with its page, behind a proxy. Besides the default project it has `listening`, which transcribes speech,
 * `recording`, which does too, but has no avatar with a live mode,
 * `wordless`, which does not, `dutch`, in a language that the page has no texts in, `staffed`, in which people take over, `pressing`, without voice activity detection, and `impatient`, with an answer timeout of
 * five seconds.
 */
export async function startPageService(config: Partial<Config> = {}): Promise<PageService> {
  const modules = [PuppetModule, DeafModule];
  // Its public address is that of the proxy, which is only known once the service listens.
  const probe = await aProxy('http://127.0.0.1:9');
  await probe.stop();
  const test = await createTestApp({
    server: anyServer(),
    modules,
    config: { demo: true, publicUrl: probe.url, ...config },
  });
  const port = await test.listen();
  const proxy = await aProxy(`http://127.0.0.1:${port}`, Number(new URL(probe.url).port));
  test.app.get(SpeechService).listen = async (speech, options, hear) =>
    speech?.transcriber?.kind === 'deaf'
      ? new LoudnessListener(options, hear, speech.transcriber.words as string | undefined)
      : undefined;
  await test.app.get(CatalogueService).apply(
    JSON.stringify({
      avatars: [unseen],
      languages: [{ language_code: 'nl', name: 'Nederlands', icon_url: MISSING }],
      projects: [
        {
          ...avatar,
          project_id: 'listening',
          settings,
          speech: { speaker: { kind: 'espeak' }, transcriber: { kind: 'deaf' } },
        },
        {
          ...avatar,
          project_id: 'recording',
          avatars: ['bruno', 'puppet'],
          settings,
          speech: { speaker: { kind: 'espeak' }, transcriber: { kind: 'deaf' } },
        },
        {
          ...avatar,
          project_id: 'staffed',
          settings,
          speech: {
            speaker: { kind: 'espeak' },
            transcriber: { kind: 'deaf', words: 'I want to talk to a person' },
          },
          handover: { enabled: true, waitingMinutes: 4.5 },
        },
        { ...avatar, project_id: 'wordless', settings },
        { ...avatar, project_id: 'dutch', languages: ['nl'] },
        { ...avatar, project_id: 'pressing', settings: { ...settings, vadEnabled: false } },
        { ...avatar, project_id: 'impatient', settings: { ...settings, messageTimeoutSeconds: 5 } },
      ],
    }),
  );
  return {
    test,
    proxy,
    page: (user_id, query = '') => `${proxy.url}/?user=${user_id}${query}`,
    async close() {
      await proxy.stop();
      await delay(50);
      await test.close();
    },
  };
}
