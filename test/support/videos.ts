import { setTimeout as delay } from 'node:timers/promises';
import type { ModuleMetadata } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { Owner } from '../../src/auth/index.js';
import { CatalogueService } from '../../src/catalogue/index.js';
import { aProject, aUser, createTestApp, type TestAppOptions } from '../../src/testing/index.js';
import { PUPPET, PuppetModule } from './engines.js';
import { StudioSpeaker } from './voices.js';

/** Its answers last 50 ms, so that little has to be rendered. */
const studio = { speaker: { kind: 'studio' } };
const ACTOR = { ...PUPPET, _id: 'actor', idleVideo: '/assets/avatars/ada/idle.webm' };
const REMOTE = { ...PUPPET, _id: 'remote', idleVideo: 'http://127.0.0.1:9/assets/avatars/ada/idle.webm' };
const ASTRAY = { ...PUPPET, _id: 'astray', idleVideo: '/assets/../assets/../../idle.webm' };

/** A service whose avatars answer with videos: `actor` has a portrait, `puppet`, `remote` and `astray` have none. */
export async function startVideos({ providers = [], ...options }: VideosOptions = {}) {
  class Studio {}
  const test = await createTestApp({
    ...options,
    modules: [PuppetModule, { module: Studio, providers: [StudioSpeaker, ...providers] }],
  });
  const base = `http://127.0.0.1:${await test.listen()}`;
  /** The answer to a video turn of a new user, in a new project. */
  const answer = async ({
    avatar_id = 'actor',
    speech = studio as object,
    video = undefined as unknown,
    user_id = aUser(),
    project_id = aProject(),
    request = 'hi',
  } = {}) => {
    const project = { project_id, avatars: ['puppet', 'actor', 'remote', 'astray'], languages: ['en'], speech };
    const avatars = [PUPPET, ACTOR, REMOTE, ASTRAY];
    const projects = [video === undefined ? project : { ...project, video }];
    await test.app.get(CatalogueService).apply(JSON.stringify({ avatars, projects }));
    const token = await test.token(user_id, project_id);
    const body = { avatar_id, request, chat_type: 'video' };
    const turn = await test.call({ method: 'POST', path: '/chat', token, body });
    const incoming = turn.body.incoming as { fileUrl: string; answer: string };
    const url = incoming.fileUrl.replace('http://chat.test', base);
    return { owner: new Owner(project_id, user_id), url, text: incoming.answer };
  };
  const count = (collection: string, { user_id }: Owner) =>
    (test.app.get(getConnectionToken()) as Connection)
      .collection(collection)
      .countDocuments(collection === 'videos' ? { user_id } : { 'metadata.user_id': user_id });
  return { test, base, answer, count };
}
type VideosOptions = Omit<TestAppOptions, 'modules'> & Pick<ModuleMetadata, 'providers'>;

export async function get(url: string, headers: Record<string, string> = {}, method = 'GET') {
  const response = await fetch(url, { headers, method });
  const bytes = Buffer.from(await response.arrayBuffer());
  const of = (name: string) => response.headers.get(name);
  return {
    status: response.status,
    type: of('content-type'),
    length: of('content-length'),
    etag: of('etag'),
    of,
    bytes,
  };
}

/** Once the video has been stored. */
export async function whole(url: string) {
  for (;;) {
    const found = await get(url);
    if (found.etag) return found;
    await delay(20);
  }
}

/** The box types of a file, in order. */
export function boxesOf(mp4: Buffer): string[] {
  const boxes: string[] = [];
  for (let at = 0; at < mp4.length; at += mp4.readUInt32BE(at)) boxes.push(mp4.toString('latin1', at + 4, at + 8));
  return boxes;
}
