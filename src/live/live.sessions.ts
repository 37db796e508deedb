import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import type { WebSocket } from 'ws';
import { ownerKey } from '../auth/index.js';
import { Clock, Config } from '../platform/config/index.js';
import { failure } from '../platform/errors/index.js';
import { describeError, LOGGER, type Logger } from '../platform/logging/index.js';
import { keepHeapSmall } from '../platform/workers/index.js';
import { LiveConnection } from './live.connection.js';
import { LiveMetrics } from './live.metrics.js';
import { type Admission, LiveSession } from './session/live.session.js';
import { SessionParts } from './session/session.parts.js';

/**
 * How long a session waits for its client after a lost connection, in milliseconds, and how many may wait at a time, of
 * all users and of one.
 */
const RESUME_MS = 30_000;
const MAX_WAITING = 100;
const MAX_WAITING_OF_USER = 10;
/** How long a session continues after its token has expired, in milliseconds. */
const EXPIRED_GRACE_MS = 60_000;
/** How long sessions continue during a shutdown, in milliseconds, so that short answers in progress can finish. */
const STOP_MS = 1000;
/** Timeout for storing what was heard, in milliseconds. */
const DETACH_LIMIT_MS = 2000;
/** Interval of the check for sessions that have to end, in milliseconds. */
const WATCH_MS = 1000;

/** Codes with which connections are closed. */
const NORMAL = 1000;
const GOING_AWAY = 1001;
const POLICY = 1008;

interface Running {
  readonly session: LiveSession;
  readonly connection: LiveConnection;
  /** Whether the service has ended the session: then it does not wait for its client. */
  isEnded: boolean;
  readonly timers: NodeJS.Timeout[];
  idleSince: number;
  readonly begun: number;
  letHeapGrow(): void;
}

/** The live sessions of this process. */
@Injectable()
export class LiveSessions implements BeforeApplicationShutdown {
  private readonly running = new Map<string, Running>();
  private readonly waiting = new Map<string, { session: LiveSession; timer: NodeJS.Timeout }>();
  private opening = 0;
  private isStopping = false;

  constructor(
    private readonly parts: SessionParts,
    private readonly metrics: LiveMetrics,
    private readonly config: Config,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Reserves a slot for a session; a resumed session still has one while the loss of its connection is undetected.
   *
   * @returns a function that releases it
   * @throws ServiceError `service_unavailable` if all slots are taken, or during a shutdown
   */
  reserve(admission: Admission, resume?: string): () => void {
    const resumed = this.find(resume, admission);
    const others = this.running.size - (resumed && this.running.has(resumed.id) ? 1 : 0);
    if (this.isStopping || others + this.opening >= this.config.liveSessions) throw failure('service_unavailable');
    this.opening++;
    let isKept = true;
    return () => {
      if (isKept) this.opening--;
      isKept = false;
    };
  }

  /** Starts a session on a connection, or resumes the one that the client lost. */
  begin(socket: WebSocket, admission: Admission, resume?: string): void {
    const resumed = this.take(resume, admission);
    const session = resumed ?? new LiveSession(admission, this.parts);
    // One event at a time, to keep their order; a failure ends the session.
    let last: Promise<void> = Promise.resolve();
    const next = (work: () => Promise<void>) => {
      last = last.then(work);
      last.catch((error: unknown) => {
        if (!connection.isOpen) return;
        this.logger.error(describeError(error), 'live session failed');
        socket.terminate();
      });
    };
    const connection = new LiveConnection(
      socket,
      {
        onMessage: (message) => {
          running.idleSince = performance.now();
          next(() => session.receive(connection, message));
        },
        onClosed: () => void this.leave(running),
      },
      this.config.livePingSeconds,
    );
    const now = performance.now();
    const running: Running = {
      session,
      connection,
      isEnded: false,
      timers: [],
      idleSince: now,
      begun: now,
      letHeapGrow: keepHeapSmall(),
    };
    this.running.set(session.id, running);
    this.metrics.sessions.set(this.running.size);
    this.watch(running, admission.expires);
    next(() => session.attach(connection, resumed && admission));
  }

  /** Notifies every client of the shutdown; no session starts from then on. */
  goingAway(time_left_ms: number): void {
    this.isStopping = true;
    for (const { session } of this.running.values())
      session.send({ type: 'session.going_away', time_left_ms, reason: 'shutdown' });
  }

  /** @internal */
  async beforeApplicationShutdown(): Promise<void> {
    for (const { timer } of this.waiting.values()) clearTimeout(timer);
    this.waiting.clear();
    const until = performance.now() + STOP_MS;
    const isBusy = () => [...this.running.values()].some(({ session }) => session.isBusy);
    while (isBusy() && performance.now() < until) await delay(50);
    const ending = [...this.running.values()].map((running) => this.end(running, GOING_AWAY, 'shutdown'));
    await Promise.race([Promise.all(ending), delay(DETACH_LIMIT_MS, undefined, { ref: false })]);
  }

  /** Ends sessions that are idle, and those whose token has expired. */
  private watch(running: Running, expires: number): void {
    const { session, timers } = running;
    const idleMs = this.config.liveIdleSeconds * 1000;
    const look = () => {
      if (this.clock.now() >= expires + EXPIRED_GRACE_MS) {
        session.send({ type: 'session.going_away', time_left_ms: 0, reason: 'token_expired' });
        return void this.end(running, POLICY, 'token_expired');
      }
      if (session.isBusy) running.idleSince = performance.now();
      else if (performance.now() - running.idleSince >= idleMs) void this.end(running, NORMAL, 'idle');
    };
    timers.push(setInterval(look, Math.min(WATCH_MS, idleMs / 4)));
  }

  /** Ends a session for good. Resolves when what was heard is stored. */
  private async end(running: Running, code: number, reason: string): Promise<void> {
    running.isEnded = true;
    const leaving = this.leave(running);
    running.connection.close(code, reason);
    await leaving;
  }

  /** The connection of a session has closed: the session waits for its client, unless the service has ended it. */
  private async leave(running: Running): Promise<void> {
    const { session, timers, isEnded, begun } = running;
    if (this.running.get(session.id) !== running) return;
    this.running.delete(session.id);
    this.metrics.sessions.set(this.running.size);
    for (const timer of timers) clearTimeout(timer);
    running.letHeapGrow();
    if (!isEnded) this.wait(session);
    await session
      .detach()
      .catch((error: unknown) => this.logger.error(describeError(error), 'live session not stored'));
    this.logger.info(
      { live_session: session.id, seconds: Math.round((performance.now() - begun) / 1000) },
      'live session left',
    );
  }

  private wait(session: LiveSession): void {
    const all = [...this.waiting.values()].map((one) => one.session);
    const own = all.filter(({ owner }) => ownerKey(owner) === ownerKey(session.owner));
    if (own.length >= MAX_WAITING_OF_USER) this.forget(own[0]!.id);
    else if (all.length >= MAX_WAITING) this.forget(all[0]!.id);
    const timer = setTimeout(() => this.forget(session.id), RESUME_MS);
    timer.unref();
    this.waiting.set(session.id, { session, timer });
  }

  private forget(id: string): void {
    clearTimeout(this.waiting.get(id)?.timer);
    this.waiting.delete(id);
  }

  /** The session that a client lost, if it is its own. The client may notice the loss long before the service does. */
  private find(id: string | undefined, { owner, avatar }: Admission): LiveSession | undefined {
    const session = id === undefined ? undefined : (this.waiting.get(id) ?? this.running.get(id))?.session;
    const isOwn = session && ownerKey(session.owner) === ownerKey(owner) && session.avatar_id === avatar._id;
    return isOwn ? session : undefined;
  }

  private take(id: string | undefined, admission: Admission): LiveSession | undefined {
    const session = this.find(id, admission);
    if (!session) return undefined;
    this.forget(session.id);
    const lost = this.running.get(session.id);
    if (lost) void this.end(lost, NORMAL, 'resumed');
    return session;
  }
}
