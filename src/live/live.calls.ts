import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type Call, CallError, Calls } from 'avatar-chat-webrtc';
import type { FastifyRequest } from 'fastify';
import type { Owner } from '../auth/index.js';
import { Config } from '../platform/config/index.js';
import { failure } from '../platform/errors/index.js';
import { type Admitted, LiveAdmission } from './live.admission.js';
import { LiveSessions } from './live.sessions.js';

/** Live sessions over WebRTC instead of a WebSocket. */
@Injectable()
export class LiveCalls implements OnApplicationShutdown {
  private readonly calls: Calls;

  constructor(
    private readonly admission: LiveAdmission,
    private readonly sessions: LiveSessions,
    { liveWebrtcPorts: ports, liveWebrtcAddress: address }: Config,
  ) {
    this.calls = new Calls({ ports, address });
  }

  /**
   * Answers an offer. The session begins when its client is connected; until then the call holds a slot.
   *
   * @throws ServiceError for the first fault of a request, `webrtc_unavailable`, `invalid_offer`
   */
  async open(owner: Owner, request: FastifyRequest, sdp: string, session: unknown): Promise<Call> {
    const admission = await this.admission.admit(owner, request, session ?? {});
    try {
      // Before it takes a slot, perhaps from somebody else.
      this.calls.checkOffer(sdp);
      return await this.start(admission, sdp);
    } catch (error) {
      throw error instanceof CallError ? failure(error.code as 'invalid_offer', error.message) : error;
    }
  }

  private async start(admission: Admitted, sdp: string): Promise<Call> {
    const slot = this.sessions.reserveSlot(admission);
    const call = await this.calls.open(sdp).catch((error: unknown) => {
      slot.release();
      throw error;
    });
    slot.onTaken = () => call.terminate();
    if (slot.isTaken) slot.onTaken();
    call.once('close', slot.release);
    call.once('open', () => {
      call.off('close', slot.release);
      this.sessions.open(call, { admission, slot });
    });
    return call;
  }

  /** @internal Sessions have ended by now, but not calls whose clients were about to connect. */
  onApplicationShutdown(): Promise<void> {
    return this.calls.close();
  }
}
