import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Injectable, Logger } from '@nestjs/common';
import { SpeechBusyError } from 'avatar-chat-media';
import { filesOf, MOONSHINE } from 'avatar-chat-model-files';
import { Transcriber } from 'avatar-chat-models';
import { CatalogueService } from '../../src/catalogue/index.js';
import { aUser, createTestApp, type TestApp } from '../../src/testing/index.js';
import { aRecording } from '../support/index.js';

/** Like the service's own transcriber with a full queue. */
@Injectable()
class BusyTranscriber extends Transcriber {
  readonly kind = 'busy';
  validate = () => [];
  transcribe = () => Promise.reject(new SpeechBusyError());
}

let modelsDir: string;
let test: TestApp;
let port: number;
let warnings: jest.SpyInstance;
beforeAll(async () => {
  modelsDir = mkdtempSync(join(tmpdir(), 'models-'));
  warnings = jest.spyOn(Logger.prototype, 'warn');
  test = await createTestApp({
    config: { modelsDir },
    modules: [{ module: class Busy {}, providers: [BusyTranscriber] }],
  });
  port = await test.listen();
});
afterAll(async () => {
  await test.close();
  rmSync(modelsDir, { recursive: true });
});
beforeEach(() => warnings.mockClear());

/** A turn whose text is only in the recording. */
async function speak(language_code = 'en', project_id?: string) {
  const form = new FormData();
  const fields = { avatar_id: 'ada', chat_type: 'voice', language_code };
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new Blob([new Uint8Array(aRecording())]));
  const headers = { authorization: `Bearer ${await test.token(aUser(), project_id)}` };
  const response = await fetch(`http://127.0.0.1:${port}/chat`, { method: 'POST', headers, body: form });
  const { error } = (await response.json()) as { error?: string };
  return { status: response.status, error, retry: response.headers.get('retry-after') };
}
const warned = () => warnings.mock.calls.map(([message]) => String(message)).filter((line) => /transcribed/.test(line));
const NO_TRANSCRIPT = { status: 422, error: 'no_transcript', retry: null };

describe('a recording without text', () => {
  it('has no transcript without the model, and the log says once what to do', async () => {
    expect([await speak(), await speak()]).toEqual([NO_TRANSCRIPT, NO_TRANSCRIPT]);
    expect(warned()).toEqual([expect.stringMatching(/the model is not installed .*speech install/)]);
  });

  it('has none with a damaged model, which the log calls damaged', async () => {
    mkdirSync(join(modelsDir, MOONSHINE.name));
    for (const { name, size } of filesOf(MOONSHINE))
      writeFileSync(join(modelsDir, MOONSHINE.name, name), Buffer.alloc(size));
    expect([await speak(), await speak()]).toEqual([NO_TRANSCRIPT, NO_TRANSCRIPT]);
    expect(warned()).toEqual([expect.stringMatching(/the model is damaged .*speech install/)]);
  });

  it('has none in a language that the transcriber does not support', async () => {
    expect(await speak('de')).toEqual(NO_TRANSCRIPT);
    expect(warned()).toEqual([]);
  });

  it('can be retried if too many recordings are queued', async () => {
    const catalogue = test.app.get(CatalogueService);
    const speech = { transcriber: { kind: 'busy' } };
    const project = { project_id: 'busy-project', avatars: ['ada'], languages: ['en'], speech };
    await catalogue.apply(JSON.stringify({ projects: [project] }));
    expect(await speak('en', 'busy-project')).toEqual({ status: 503, error: 'service_unavailable', retry: '1' });
  });
});
