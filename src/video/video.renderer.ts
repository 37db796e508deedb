import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { FairShare, keepHeapSmall } from 'avatar-chat-runtime';
import { exitCodeOf, PACKAGES_ABSENT } from 'avatar-chat-runtime/processes';
import type { FromThread, RenderedVideo, StartVideoWorker, VideoJob, VideoWorkerClient } from 'avatar-chat-video';
import { Config } from '../platform/config/index.js';
import { loggerOf } from '../platform/logging/index.js';

/** Idle time after which the thread ends to release its memory, in milliseconds. */
const IDLE_LIMIT_MS = 60_000;
/** Timeout of one step; the thread is terminated if it hangs. */
const STEP_LIMIT_MS = 60_000;

interface Ordered {
  readonly job: VideoJob;
  readonly video: RenderedVideo;
  isUrgent?: boolean;
}

/** A place in the queue, until the video is complete. */
export interface VideoPlace {
  readonly id: number;
  readonly video: RenderedVideo;
  release(): void;
}

/** Renders videos in a worker thread that starts with the first one; several take turns. */
@Injectable()
export class VideoRenderer implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = loggerOf(VideoRenderer.name);
  private readonly places: FairShare;
  private readonly videos = new Map<number, Ordered>();
  /** The rendering in progress. */
  private working?: number;
  /** What renders, which may not be installed, and starts its thread, which may not be compiled. */
  private library?: typeof import('avatar-chat-video');
  private start?: StartVideoWorker;
  private readonly logged = new Set<string>();
  private thread?: VideoWorkerClient;
  private timer?: NodeJS.Timeout;
  private letHeapGrow?: () => void;
  private orders = 0;
  private isAbsent = false;

  constructor(config: Config) {
    this.places = new FairShare(config.videoQueue + 1);
  }

  /** @internal */
  async onModuleInit(): Promise<void> {
    this.library = await import('avatar-chat-video').catch((error: NodeJS.ErrnoException) => {
      if (exitCodeOf(error) !== PACKAGES_ABSENT) throw error;
      return undefined;
    });
    this.start = this.library?.videoWorkerClient();
  }

  /** Whether rendering is possible at all, as far as known: optional packages may turn out not to be installed. */
  checkPossible(): boolean {
    if (!this.start) this.sayOnce(NO_PACKAGE);
    return this.start !== undefined && !this.isAbsent;
  }

  /**
   * Takes a place in the queue, if need be from whoever has most.
   *
   * @param holders the user, then possibly the address
   * @returns undefined if there is no room, or rendering is not possible
   */
  acquirePlace(holders: readonly string[]): VideoPlace | undefined {
    if (!this.checkPossible()) return undefined;
    const [id, video] = [++this.orders, new this.library!.RenderedVideo()];
    const release = this.places.acquire(holders, () => this.dropVideo(id, video));
    if (!release) this.sayOnce(QUEUE_FULL);
    return release && { id, video, release };
  }

  /** Renders a video. It fails if others have needed its place more. */
  render(job: VideoJob, { id, video, release }: VideoPlace): RenderedVideo {
    void video.whole.then(release);
    if (video.hasFailed) return video;
    const ordered = { job, video };
    this.videos.set(id, ordered);
    this.send(id, ordered);
    return video;
  }

  private dropVideo(id: number, video: RenderedVideo): void {
    if (this.videos.delete(id)) this.thread?.send({ id, isUnwanted: true });
    video.dropVideo();
    this.watch();
  }

  /** Puts a rendering before all others, since somebody waits for its end. */
  prioritize(video: RenderedVideo): void {
    for (const [id, ordered] of this.videos) {
      if (ordered.video !== video || ordered.isUrgent) continue;
      ordered.isUrgent = true;
      this.thread?.send({ id, isUrgent: true });
    }
  }

  private send(id: number, { job, video, isUrgent }: Ordered): void {
    try {
      this.thread ??= this.started();
      this.thread.setBusy(true);
      // A copy, since it is transferred.
      this.thread.send({ id, ...job, sound: Uint8Array.from(job.sound) });
      if (isUrgent) this.thread.send({ id, isUrgent });
    } catch {
      this.logger.error('The thread that renders videos could not be started');
      this.videos.delete(id);
      video.finishVideo();
    }
    this.watch();
  }

  /** @internal */
  async onApplicationShutdown(): Promise<void> {
    const { thread } = this;
    this.thread = undefined;
    for (const { video } of this.videos.values()) video.finishVideo();
    this.videos.clear();
    this.watch();
    await thread?.terminate();
  }

  /** Logs each warning once. */
  sayOnce(message: string): void {
    if (this.logged.has(message)) return;
    if (this.logged.size < MAX_LOGGED) this.logged.add(message);
    this.logger.warn(message);
  }

  private started(): VideoWorkerClient {
    const thread: VideoWorkerClient = this.start!(
      (message) => this.hear(message),
      (code) => {
        if (thread !== this.thread) return;
        this.thread = undefined;
        if (code === PACKAGES_ABSENT) {
          this.isAbsent = true;
          this.sayOnce(NOT_INSTALLED);
        } else if (this.videos.size > 0) this.logger.error('The thread that renders videos has ended');
        this.recover();
      },
    );
    return thread;
  }

  /** The thread has exited: its current rendering has failed, or all if there was none; the others are restarted. */
  private recover(): void {
    const { working } = this;
    this.working = undefined;
    for (const [id, { video }] of this.videos) {
      if (working !== undefined && id !== working) continue;
      this.videos.delete(id);
      video.finishVideo();
    }
    for (const [id, ordered] of this.videos) {
      ordered.video.restart();
      this.send(id, ordered);
    }
    this.watch();
  }

  private hear(message: FromThread): void {
    const found = this.videos.get(message.id);
    if (!found) return;
    const { video } = found;
    if ('working' in message) this.working = message.id;
    else if ('piece' in message) video.addPiece(message.piece);
    else {
      this.videos.delete(message.id);
      if ('portrait' in message && message.portrait) this.sayOnce(`A portrait cannot be used: ${message.portrait}`);
      else if ('failed' in message) this.logger.error('A video could not be rendered');
      video.finishVideo('whole' in message ? message.whole : undefined);
    }
    this.watch();
  }

  /** Sets the timeout of the next step or, if idle, of the thread. The heap is kept small while there is work. */
  private watch(): void {
    clearTimeout(this.timer);
    const { thread } = this;
    const isBusy = this.videos.size > 0;
    if (isBusy) this.letHeapGrow ??= keepHeapSmall();
    else {
      this.letHeapGrow?.();
      this.letHeapGrow = undefined;
    }
    if (!thread) return;
    thread.setBusy(isBusy);
    if (isBusy) this.timer = setTimeout(() => void thread.terminate(), STEP_LIMIT_MS);
    else {
      this.timer = setTimeout(() => {
        this.thread = undefined;
        void thread.terminate();
      }, IDLE_LIMIT_MS).unref();
    }
  }
}

const MAX_LOGGED = 100;
const NOT_INSTALLED =
  'Answers are no videos: the optional packages @resvg/resvg-wasm, h264-mp4-encoder, @mediabunny/aac-encoder, mediabunny, mpg123-decoder and saxes are not all installed';
const NO_PACKAGE =
  'Answers are no videos: the optional package avatar-chat-video is not installed, or not compiled (npm run build)';
const QUEUE_FULL = 'An answer was sent as sound and no video: as many are waiting as VIDEO_QUEUE allows';
