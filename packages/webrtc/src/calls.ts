import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { Call } from './call.js';
import { CallError } from './call.error.js';
import type { Command, FromProcess, PeerOptions, ToProcess } from './messages.js';
import { checkedOffer, reachableAnswer } from './session.description.js';
import { PACKAGE } from './wrtc.js';

/** How long an answer may take, in milliseconds; the first includes the start of a process. */
const ANSWER_MS = 8000;
/** How long a process may take to end a call, or all, before it is killed, in milliseconds. */
const ENDING_MS = 1000;

export interface CallsOptions extends PeerOptions {
  /** The public address to which the ports are forwarded; omitted: those of this machine. */
  readonly address?: string | undefined;
}

/** Calls from browsers by WebRTC. They are in one process of their own, which is there while there are calls. */
export class Calls {
  private child: ChildProcess | undefined;
  private readonly calls = new Map<string, Call>();

  constructor(private readonly options: CallsOptions) {}

  /** @returns the offer that is answered @throws CallError */
  checkOffer(sdp: string): string {
    assertInstalled();
    return checkedOffer(sdp);
  }

  /**
   * Answers an offer. The call emits `open` when its client is connected, or `close` some ten seconds later.
   *
   * @param sdp of a client, as it sent it
   * @throws CallError
   */
  async open(sdp: string): Promise<Call> {
    const offer = this.checkOffer(sdp);
    const id = `rtc_${randomBytes(12).toString('base64url')}`;
    const call = new Call(id, (command) => this.sendCommand(id, command));
    this.calls.set(id, call);
    this.child ??= this.start();
    const { ports, address } = this.options;
    this.sendCommand(id, { offer, options: { ports } });
    const timer = setTimeout(() => call.terminate(), ANSWER_MS);
    const isAnswered = await new Promise<boolean>((resolve) => {
      call.once('answer', () => resolve(true)).once('close', () => resolve(false));
    });
    clearTimeout(timer);
    if (isAnswered && call.answer === '') throw new CallError('invalid_offer', 'The SDP offer cannot be answered.');
    // It may have been closed right after its answer.
    if (!isAnswered || call.readyState > call.OPEN)
      throw new CallError('service_unavailable', 'Calls cannot be answered at the moment.');
    call.answer = reachableAnswer(call.answer, address);
    return call;
  }

  /** Ends all calls. Resolves when their clients have been told, or soon. */
  async close(): Promise<void> {
    const { child } = this;
    for (const call of this.calls.values()) call.close();
    for (let waited = 0; this.calls.size > 0 && waited < ENDING_MS; waited += 20) await delay(20);
    child?.kill('SIGKILL');
  }

  private start(): ChildProcess {
    const child = fork(program(), [], {
      env: {},
      execArgv: ['--max-semi-space-size=1'],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const onGone = () => {
      if (this.child === child) for (const id of this.calls.keys()) this.receive(id, { closed: true });
    };
    child.on('error', onGone);
    child.on('exit', onGone);
    child.on('message', ({ call, ...report }: FromProcess) => this.receive(call, report));
    return child;
  }

  private receive(id: string, report: Omit<FromProcess, 'call'>): void {
    const call = this.calls.get(id);
    if ('closed' in report) this.calls.delete(id);
    call?.receive(report as never);
    const { child } = this;
    if (this.calls.size > 0 || !child) return;
    if (child.connected) child.disconnect();
    // Native code may hang as it ends.
    setTimeout(() => child.kill('SIGKILL'), ENDING_MS).unref();
    this.child = undefined;
  }

  private sendCommand(call: string, command: Command): void {
    const { child } = this;
    const message: ToProcess = { call, ...command };
    // With a callback, an error is passed to it instead of being thrown: the process may have ended.
    child?.send(message, undefined, undefined, () => undefined);
    const kill = () => this.calls.has(call) && child?.kill('SIGKILL');
    if ('end' in command && command.end === 'now') setTimeout(kill, ENDING_MS).unref();
  }
}

/** @throws CallError `webrtc_unavailable` */
function assertInstalled(): void {
  try {
    createRequire(import.meta.url).resolve(PACKAGE);
  } catch {
    throw new CallError('webrtc_unavailable', `The package ${PACKAGE} is not installed.`);
  }
}

/** The compiled program; if this file is TypeScript, as under Jest, in the build output. */
function program(): URL {
  const beside = new URL('calls.process.js', import.meta.url);
  return existsSync(beside) ? beside : new URL('../dist/calls.process.js', import.meta.url);
}
