import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Owner } from '../auth/index.js';
import { type Project } from 'avatar-chat-catalogue';
import { CatalogueService } from '../catalogue/index.js';
import { Clock, Config } from '../platform/config/index.js';
import { isDatabaseUnavailable } from '../platform/database/index.js';
import { failure } from '../platform/errors/index.js';
import { describeError, loggerOf } from '../platform/logging/index.js';
import { TurnCounts, VideoLimit } from '../rate-limits/index.js';
import { withTimeout } from 'avatar-chat-runtime';
import type { RenderedVideo } from 'avatar-chat-video';
import {
  FileRendition,
  type FileRequest,
  FileStoreRegistry,
  type PhonemeDetails,
  rangeBounds,
  type RenditionAnswer,
  type SpeechDetails,
  type StoredFile,
} from '../files/index.js';
import { hasPortrait, portraitBeside } from './portrait.file.js';
import { VideoClaims } from './video.claims.js';
import { VideoRenderer } from './video.renderer.js';
import { VideoRepository } from './video.repository.js';
import type { VideoDocument } from './video.schema.js';

const VIDEO = 'video/mp4';
const DEFAULT_SIZE = 480;
/**
 * Timeout for the start of a stream; it takes seconds only if the worker thread has to start first, on a busy machine.
 */
const BEGIN_LIMIT_MS = 30_000;
/**
 * How long a range request waits for the whole file. Browsers give up an answer that is 503: Safari asks for two bytes
 * first.
 */
const WHOLE_LIMIT_MS = 60_000;
/** Interval at which the file of another process is looked for, in milliseconds. */
const LOOK_MS = 500;
/**
 * Attempts to render an answer that fails, for how long failures are remembered (in milliseconds), and of how many
 * answers.
 */
const MAX_ATTEMPTS = 2;
const FAILURE_LASTS_MS = 600_000;
const MAX_FAILED = 1000;
const LIMIT_REACHED =
  'An answer was sent as sound and no video: its user has had as much video as VIDEO_SECONDS allows';

/** What a video is made of besides the sound, and the address of the client that asks for it. */
interface Source {
  readonly idleVideo: string;
  readonly size: number;
  readonly ip: string;
}

interface InProgress {
  readonly video: RenderedVideo;
  /** Undefined if it could not be rendered or stored. */
  readonly stored: Promise<StoredFile | undefined>;
}

/** Videos of answers: each is rendered on the first request, and stored. */
@Injectable()
export class VideoAnswers extends FileRendition {
  private readonly logger = loggerOf(VideoAnswers.name);
  private readonly inProgress = new Map<string, Promise<InProgress | undefined>>();
  /**
   * Failed attempts to render an answer, and the time of the last one by the monotonic clock. Another answer may have
   * caused them.
   */
  private readonly failures = new Map<string, { times: number; at: number }>();

  constructor(
    private readonly videos: VideoRepository,
    private readonly claims: VideoClaims,
    private readonly stores: FileStoreRegistry,
    private readonly renderer: VideoRenderer,
    private readonly limit: VideoLimit,
    private readonly counts: TurnCounts,
    private readonly catalogue: CatalogueService,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {
    super();
  }

  /** Marks a spoken answer as a video, if its project has videos. */
  async add(owner: Owner, project: Project, avatar_id: string, file_id: string): Promise<void> {
    if (this.isEnabled(project)) await this.videos.add(owner, file_id, avatar_id);
  }

  /**
   * What a request for a file gets instead; undefined if the file is not an answer with a video.
   *
   * @throws ServiceError `service_unavailable` if it takes too long
   */
  async answer(sound: StoredFile, { method, headers, ip = '' }: FileRequest): Promise<RenditionAnswer | undefined> {
    if (sound.content_type !== 'audio/mpeg') return undefined;
    const known = await this.videos.find(sound.file_id);
    if (!known) return undefined;
    const stored = await this.storedVideo(known);
    if (stored) return stored;
    const source = await this.sourceOf(known);
    if (!source || this.failuresOf(sound.file_id) >= MAX_ATTEMPTS) return { kind: 'original' };
    if (method === 'HEAD') return { kind: 'streamed', content_type: VIDEO };
    const started = await this.start(known, sound, { ...source, ip });
    if (started && isPart(headers)) {
      this.renderer.prioritize(started.video);
      const file = await withTimeout(started.stored, WHOLE_LIMIT_MS, late);
      if (file) return { kind: 'stored', file };
    } else if (started && (await withTimeout(started.video.begun, BEGIN_LIMIT_MS, late)))
      return { kind: 'streamed', content_type: VIDEO, content: started.video.read() };
    return this.renderedElsewhere(sound.file_id);
  }

  /** What another process renders, when it is complete; the sound if none does. */
  private async renderedElsewhere(file_id: string): Promise<RenditionAnswer> {
    for (let waitedMs = 0; waitedMs < WHOLE_LIMIT_MS; waitedMs += LOOK_MS) {
      const known = await this.videos.find(file_id);
      const stored = await this.storedVideo(known);
      if (stored) return stored;
      if (!(Number(known?.claimed_until) > this.clock.now())) return { kind: 'original' };
      await delay(LOOK_MS);
    }
    throw late();
  }

  removeRecords(file_ids: readonly string[]): Promise<string[]> {
    return this.videos.removeRecords(file_ids);
  }

  findRenditions(file_ids: readonly string[]): Promise<string[]> {
    return this.videos.findRenditions(file_ids);
  }

  private failuresOf(file_id: string): number {
    const failed = this.failures.get(file_id);
    return failed && this.clock.monotonic() - failed.at < FAILURE_LASTS_MS ? failed.times : 0;
  }

  private isEnabled({ video }: Pick<Project, 'video'>): boolean {
    return video?.enabled ?? !this.config.production;
  }

  private async storedVideo(known: VideoDocument | null): Promise<RenditionAnswer | undefined> {
    const file = known?.video_id === undefined ? undefined : await this.stores.store.find(known.video_id);
    return file && { kind: 'stored', file };
  }

  /** The input for rendering an answer; undefined if its project or avatar currently has no videos. */
  private async sourceOf({ project_id, avatar_id }: VideoDocument) {
    if (!this.renderer.checkPossible()) return undefined;
    const resolved = await this.catalogue.findResolvedProject(project_id);
    if (!resolved || !this.isEnabled(resolved.project)) return undefined;
    const avatar = resolved.avatars.find(({ _id }) => _id === avatar_id);
    if (!avatar || !(await hasPortrait(avatar.idleVideo))) return undefined;
    return { idleVideo: avatar.idleVideo, size: resolved.project.video?.size ?? DEFAULT_SIZE };
  }

  /** The rendering of an answer in progress, or a new one. @returns undefined if rendering is not possible */
  private start(known: VideoDocument, sound: StoredFile, source: Source): Promise<InProgress | undefined> {
    const { file_id } = sound;
    let started = this.inProgress.get(file_id);
    if (started) return started;
    started = this.begin(known, sound, source);
    this.inProgress.set(file_id, started);
    const end = () => this.inProgress.delete(file_id);
    void started.then((begun) => begun?.stored).then(end, end);
    return started;
  }

  private async begin(
    known: VideoDocument,
    { file_id }: StoredFile,
    { idleVideo, size, ip }: Source,
  ): Promise<InProgress | undefined> {
    const owner = new Owner(known.project_id, known.user_id);
    const details = (await this.stores.store.details(file_id)) as SpeechDetails | undefined;
    const [portrait, sound] = await Promise.all([portraitBeside(idleVideo), this.read(file_id)]);
    if (portrait === undefined || !details || !sound) return undefined;
    const { seconds, phonemes } = details;
    const job = { portrait, size, sound, phonemes: phonemes.map(bare) };
    // Before it counts against the limit.
    const place = this.renderer.acquirePlace(this.counts.holdersOf(owner, ip));
    if (!place) return undefined;
    let release: (() => Promise<void>) | undefined;
    let isRendering = false;
    try {
      release = await this.claims.claim(file_id);
      if (!release || place.video.hasFailed) return undefined;
      isRendering = await this.limit.take(owner, seconds);
      if (!isRendering) {
        this.renderer.sayOnce(LIMIT_REACHED);
        return undefined;
      }
      const video = this.renderer.render(job, place);
      return { video, stored: this.keep(owner, known, video).finally(release) };
    } finally {
      if (!isRendering) {
        place.release();
        await release?.();
      }
    }
  }

  private async read(file_id: string): Promise<Uint8Array | undefined> {
    const stream = await this.stores.store.open(file_id);
    return stream && Buffer.concat(await stream.toArray());
  }

  /** Stores a complete video. Never throws: its readers have it anyway. */
  private async keep(owner: Owner, known: VideoDocument, video: RenderedVideo): Promise<StoredFile | undefined> {
    const whole = await video.whole;
    if (!whole && video.isUnwanted) return undefined;
    if (!whole) {
      if (this.failures.size >= MAX_FAILED) this.failures.clear();
      this.failures.set(known._id, { times: this.failuresOf(known._id) + 1, at: this.clock.monotonic() });
      return undefined;
    }
    const { store } = this.stores;
    let file: StoredFile | undefined;
    try {
      file = await store.put(owner, piecesOf(whole), { content_type: VIDEO });
      const isKept = (await this.videos.link(known, file.file_id)) && (await store.find(known._id)) !== undefined;
      if (isKept) return file;
    } catch (error) {
      if (!isDatabaseUnavailable(error)) this.logger.error({ ...describeError(error) });
    }
    if (file) await store.remove([file.file_id]).catch(() => undefined);
    return undefined;
  }
}

const late = () => failure('service_unavailable');

/** Only the details that the worker thread needs. */
function bare({ phoneme, start, end }: PhonemeDetails): PhonemeDetails {
  return { phoneme, start, end };
}

const PIECE = 256 * 1024;

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}

/**
 * Whether a partial file is requested, which requires the complete one. Browsers request all of it with `bytes=0-`; a
 * range with an `If-Range` refers to another file, so the response has all of it.
 */
function isPart(headers: FileRequest['headers']): boolean {
  const [first, last] = rangeBounds(headers.range);
  if (headers['if-range'] !== undefined || (first === '' && last === '')) return false;
  return !(/^0+$/.test(first) && last === '') && !(first !== '' && last !== '' && Number(last) < Number(first));
}
