import { AvatarChatError } from 'avatar-chat-client';

/** What outlives the panel: the event stream, and its token. */
const LASTING = /\/(chat\/events|jwt)$/;

/** Network access while the panel is open. Closing it aborts requests in flight. */
export class Access {
  private period = new AbortController();
  private opened = false;
  /** Origins that the page's Content-Security-Policy has blocked. */
  private readonly refused = new Set<string>();

  get isOpen(): boolean {
    return this.opened;
  }

  /** Aborted when the panel is closed. */
  get signal(): AbortSignal {
    return this.period.signal;
  }

  open(): void {
    if (this.opened) return;
    this.opened = true;
    this.period = new AbortController();
  }

  close(): void {
    this.opened = false;
    this.period.abort(new DOMException('The chat has been closed.', 'AbortError'));
  }

  readonly fetch: typeof fetch = (input, init) => {
    if (LASTING.test(String(input))) return fetch(input, init);
    const signals = [this.signal, init?.signal].filter((signal) => signal instanceof AbortSignal);
    // Older browsers close whatever takes a signal on their own.
    const signal = typeof AbortSignal.any === 'function' ? AbortSignal.any(signals) : (init?.signal ?? this.signal);
    return fetch(input, { ...init, signal });
  };

  /**
   * Finds out why there was no response, which browsers do not reveal: an opaque request shows whether the service is up.
   * The console tells the operator of the page or the service what to change.
   */
  async reason(error: unknown, service: string): Promise<unknown> {
    const { origin } = new URL(service);
    if (!(error instanceof AvatarChatError) || error.code !== 'network_error' || origin === location.origin)
      return error;
    const isBlocked = (event: SecurityPolicyViolationEvent) => {
      if (event.blockedURI.startsWith(origin)) this.refused.add(origin);
    };
    document.addEventListener('securitypolicyviolation', isBlocked);
    const isThere = await this.fetch(`${origin}/health/live`, { mode: 'no-cors', cache: 'no-store' }).then(
      () => true,
      () => false,
    );
    // Violations are reported in a separate task.
    await new Promise((resolve) => setTimeout(resolve));
    document.removeEventListener('securitypolicyviolation', isBlocked);
    if (this.refused.has(origin)) {
      console.error(`avatar-chat: the Content-Security-Policy of this page blocks ${origin}. Add it to connect-src.`);
      return new AvatarChatError('blocked_by_policy', 'The Content-Security-Policy of the page blocks the service.');
    }
    if (!isThere) return error;
    // A sandboxed frame has an opaque origin, which cannot be listed.
    const remedy =
      window.origin === 'null'
        ? 'Sandbox its frame with allow-same-origin.'
        : 'Add this origin to its setting CORS_ORIGINS.';
    const what = `does not allow requests from ${window.origin}. ${remedy}`;
    console.error(`avatar-chat: ${origin} ${what}`);
    return new AvatarChatError('origin_not_allowed', `The service ${what}`);
  }
}
