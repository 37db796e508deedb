import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { isWithdrawn, ownerKey } from '../auth/index.js';
import { CatalogueService } from '../catalogue/index.js';
import { remainingMs } from '../platform/http/index.js';
import { Clock, Config } from '../platform/config/index.js';
import { failure } from '../platform/errors/index.js';
import { describeError, LOGGER, type Logger } from '../platform/logging/index.js';
import { FairShare, keepHeapSmall, mayBeWorker } from 'avatar-chat-runtime';
import { LiveConnection, type LiveSocket, LiveSession } from 'avatar-chat-realtime';
import { LiveMetrics } from './live.metrics.js';
import { applications, type LivePlace, LivePlaces, LOOK_MS } from './live.places.js';
import type { Admitted } from './live.admission.js';
import { SessionParts } from './session.parts.js';

/** How long a session waits for its client after a lost connection, in milliseconds, and how many may wait at a time. */
const RESUME_MS = 30_000;
const MAX_WAITING = 100;
/** How long a session continues after its token has expired, in milliseconds. */
const EXPIRED_GRACE_MS = 60_000;
/** Timeout for storing what was heard, in milliseconds. */
const DETACH_LIMIT_MS = 2000;
/** Interval of the check for sessions that have to end, in milliseconds. */
const WATCH_MS = 1000;

/** Codes with which connections are closed. */
const NORMAL = 1000;
const GOING_AWAY = 1001;
const POLICY = 1008;
const TRY_AGAIN_LATER = 1013;

/** The slot of a session: held from the handshake on, until it is released or given to another user. */
export interface Slot {
  release: () => void;
  isTaken: boolean;
  onTaken?: () => void;
}

export interface Opening {
  readonly admission: Admitted;
  readonly slot: Slot;
  /** The session that the client lost. */
  readonly resume?: string | undefined;
}

interface Running {
  readonly session: LiveSession;
  readonly connection: LiveConnection;
  /** Whether the service has ended the session: then it does not wait for its client. */
  isEnded: boolean;
  readonly slot: Slot;
  readonly timers: NodeJS.Timeout[];
  idleSince: number;
  readonly begun: number;
  letHeapGrow(): void;
}

/** The live sessions of this process. */
@Injectable()
export class LiveSessions implements BeforeApplicationShutdown {
  private readonly running = new Map<string, Running>();
  private readonly waiting = new Map<string, { session: LiveSession; release: () => void; timer: NodeJS.Timeout }>();
  private readonly slots: FairShare;
  private readonly waitingPlaces = new FairShare(MAX_WAITING);
  private isStopping = false;
  private timer?: NodeJS.Timeout;

  constructor(
    private readonly parts: SessionParts,
    private readonly metrics: LiveMetrics,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly catalogue: CatalogueService,
    private readonly places: LivePlaces,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.slots = new FairShare(config.liveSessions);
  }

  /**
   * Reserves a slot for a session. If all are taken, a user with more sessions loses the newest. A session whose loss was
   * undetected until its client came to resume it gives up its own.
   *
   * @throws ServiceError `service_unavailable` if there is no slot, or during a shutdown
   */
  reserveSlot(admission: Admitted, resume?: string): Slot {
    const lost = this.running.get(resume ?? '');
    if (lost && isOf(lost.session, admission)) this.leaveForNewer(lost);
    const slot: Slot = { release: () => undefined, isTaken: false };
    const onTaken = () => {
      slot.isTaken = true;
      slot.onTaken?.();
    };
    const release = this.isStopping ? undefined : this.slots.acquire(admission.holders, onTaken);
    if (!release) throw failure('service_unavailable');
    this.measure();
    return Object.assign(slot, { release: () => (release(), this.measure()) });
  }

  /**
   * The pid of the other worker that has the session which a client wants to resume.
   *
   * @throws ServiceError `session_elsewhere` if a process has it that is no worker
   * @throws DatabaseUnavailableError
   */
  async findWorker(resume: string | undefined, { owner, avatar }: Admitted): Promise<number | undefined> {
    if (resume === undefined || this.waiting.has(resume) || this.running.has(resume)) return undefined;
    const place = await this.places.find(owner, avatar._id, resume);
    if (!place) return undefined;
    const { host, pid } = place;
    const isHere = pid !== undefined && host === hostname();
    // Killed, and its session with it.
    if (isHere && !isRunning(place)) return undefined;
    if (!isHere || !mayBeWorker(pid)) throw failure('session_elsewhere', host);
    return pid;
  }

  /** Starts a session on a connection, or resumes the one that the client lost. */
  open(socket: LiveSocket, { admission, slot, resume }: Opening): void {
    if (this.isStopping) {
      slot.release();
      return socket.close(GOING_AWAY, 'shutdown');
    }
    const { holders } = admission;
    const resumed = this.findWaiting(resume, admission);
    if (resumed) this.stopWaiting(resumed.id);
    const session = resumed ?? new LiveSession(admission, this.parts);
    void this.places.record(session, false, admission.expires + EXPIRED_GRACE_MS).catch(() => undefined);
    this.timer ??= setInterval(() => void this.leaveWanted().catch(() => undefined), LOOK_MS).unref();
    const fail = (error: unknown) => {
      if (connection.isOpen) this.logger.error(describeError(error), 'live session failed');
      socket.terminate();
    };
    const connection = new LiveConnection(socket, {
      pingSeconds: this.config.livePingSeconds,
      onMessage: async (message) => {
        await attached;
        if (await session.receive(connection, message)) running.idleSince = performance.now();
      },
      onClosed: () => void this.leave(running),
      spend: (cost) => this.parts.allowances.messages.spend(holders, cost),
    });
    const now = performance.now();
    const running: Running = {
      session,
      connection,
      isEnded: false,
      slot,
      timers: [],
      idleSince: now,
      begun: now,
      letHeapGrow: keepHeapSmall(),
    };
    this.running.set(session.id, running);
    this.measure();
    this.watch(running, admission);
    slot.onTaken = () => this.sendAway(running, TRY_AGAIN_LATER, 'capacity');
    const attached = session.attach(connection, resumed && admission).catch(fail);
    if (slot.isTaken) slot.onTaken();
  }

  /** Notifies every client of the shutdown; no session starts from then on, or waits for its client. */
  goingAway(time_left_ms: number): void {
    this.isStopping = true;
    for (const id of this.waiting.keys()) this.forgetWaiting(id);
    this.measure();
    for (const { session } of this.running.values())
      session.send({ type: 'session.going_away', time_left_ms, reason: 'shutdown' });
  }

  /** @internal */
  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    for (const id of this.waiting.keys()) this.forgetWaiting(id);
    const until = performance.now() + remainingMs(this.config.shutdownMs);
    const isBusy = () => [...this.running.values()].some(({ session }) => session.isBusy);
    while (isBusy() && performance.now() < until) await delay(50);
    const ending = [...this.running.values()].map((running) => this.end(running, GOING_AWAY, 'shutdown'));
    await Promise.race([Promise.all(ending), delay(DETACH_LIMIT_MS, undefined, { ref: false })]);
  }

  private measure(): void {
    this.metrics.sessions.set(this.running.size);
    this.metrics.free.set(this.isStopping ? 0 : Math.max(0, this.config.liveSessions - this.slots.size));
  }

  /** Ends sessions that are idle, and those whose token is no longer valid. */
  private watch(running: Running, admission: Admitted): void {
    const { session, timers } = running;
    const { owner, expires } = admission;
    const idleMs = this.config.liveIdleSeconds * 1000;
    const look = () => {
      if (this.clock.now() >= expires + EXPIRED_GRACE_MS) return this.sendAway(running, POLICY, 'token_expired');
      const project = this.catalogue.knownProject(owner.project_id);
      // An answer in progress fails first, with the reason.
      const isGone = project ? isWithdrawn(admission, project) : !session.isBusy;
      if (isGone) return this.sendAway(running, POLICY, 'invalid_token');
      if (session.isBusy) running.idleSince = performance.now();
      else if (performance.now() - running.idleSince >= idleMs) void this.end(running, NORMAL, 'idle');
    };
    timers.push(setInterval(look, Math.min(WATCH_MS, idleMs / 4)));
  }

  private sendAway(running: Running, code: number, reason: string): void {
    running.session.send({ type: 'session.going_away', time_left_ms: 0, reason });
    void this.end(running, code, reason);
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
    const { session, timers, isEnded, begun, slot } = running;
    if (this.running.get(session.id) !== running) return;
    this.running.delete(session.id);
    for (const timer of timers) clearTimeout(timer);
    slot.release();
    running.letHeapGrow();
    const isOver = isEnded || this.isStopping;
    if (isOver) void this.places.remove(session).catch(() => undefined);
    const detached = session.detach();
    if (isOver || !this.wait(session)) session.dispose();
    await detached.catch((error: unknown) => this.logger.error(describeError(error), 'live session not stored'));
    this.logger.info(
      { live_session: session.id, seconds: Math.round((performance.now() - begun) / 1000) },
      'live session left',
    );
  }

  /** Waits for the client of a session; a user with many such sessions loses one for it. @returns false if there are too many */
  private wait(session: LiveSession): boolean {
    const { owner, holders, id } = session;
    void this.places.record(session, true, this.clock.now() + RESUME_MS).catch(() => undefined);
    const acquirePlace = () => this.waitingPlaces.acquire(holders, () => this.forgetWaiting(id));
    let release = acquirePlace();
    if (!release) {
      const own = [...this.waiting.values()].find((one) => ownerKey(one.session.owner) === ownerKey(owner));
      if (!own) return false;
      this.forgetWaiting(own.session.id);
      release = acquirePlace()!;
    }
    const timer = setTimeout(() => this.forgetWaiting(id), RESUME_MS);
    timer.unref();
    this.waiting.set(id, { session, release, timer });
    return true;
  }

  private forgetWaiting(id: string): void {
    const session = this.stopWaiting(id);
    session?.dispose();
    if (session) void this.places.remove(session).catch(() => undefined);
  }

  private stopWaiting(id: string): LiveSession | undefined {
    const place = this.waiting.get(id);
    this.waiting.delete(id);
    clearTimeout(place?.timer);
    place?.release();
    return place?.session;
  }

  /** The client of a session has a newer connection. */
  private leaveForNewer(running: Running): void {
    running.connection.close(NORMAL, 'resumed');
    void this.leave(running);
  }

  private async leaveWanted(): Promise<void> {
    if (this.running.size === 0) return;
    const before = new Map(this.running);
    for (const id of await this.places.findWanted([...before.keys()])) {
      const running = this.running.get(id);
      // Not a newer one, with which its client has come back meanwhile.
      if (running && running === before.get(id)) this.leaveForNewer(running);
    }
  }

  /** The session that a client lost, if it is its own. */
  private findWaiting(id: string | undefined, admission: Admitted): LiveSession | undefined {
    const waiting = id === undefined ? undefined : this.waiting.get(id)?.session;
    return waiting && isOf(waiting, admission) ? waiting : undefined;
  }
}

function isOf(session: LiveSession, { owner, avatar }: Admitted): boolean {
  return ownerKey(session.owner) === ownerKey(owner) && session.avatar_id === avatar._id;
}

/** Whether the application that has a session on this machine still runs, as far as this process can know. */
function isRunning({ pid, application }: LivePlace): boolean {
  if (pid === process.pid) return applications.has(application);
  try {
    return process.kill(pid!, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
