import { AvatarChatError, networkError } from './error.js';
import { followEvents } from './chat-events.js';
import { readEvents } from './events.js';
import type { LiveAccess } from './live/socket.js';
import type {
  AvatarChatOptions,
  CallOptions,
  ChatEvent,
  ConnectOptions,
  Conversation,
  ConversationEvent,
  EventsOptions,
  PageOptions,
  Source,
  Turn,
  TurnEvent,
  TurnOptions,
} from './options.js';
import { jsonRequest, newKey, type RequestOptions, serviceRequest, serviceUrl, turnRequest } from './request.js';
import { Tokens } from './tokens.js';
import { TRANSIENT_STATUSES, Transport, UNPROCESSED_STATUSES } from './transport.js';
import type {
  ConnectionResponse,
  ErrorBody,
  HistoryPage,
  Message,
  SpeechDetails,
  SpokenGreeting,
  SpokenSentence,
  TokenResponse,
  TurnResponse,
} from './types.js';

/** The service from the point of view of one user, without live conversations. */
export class TurnClient {
  private readonly tokens: Tokens;
  private readonly transport: Transport;

  constructor(private readonly options: AvatarChatOptions) {
    this.tokens = new Tokens(options.getToken ?? (() => this.issueToken()));
    this.transport = new Transport(options, this.tokens);
  }

  /** Lists the avatars and languages, and opens a session. */
  connect({ language_code, signal }: ConnectOptions = {}): Promise<ConnectionResponse> {
    const headers = language_code === undefined ? undefined : { 'Accept-Language': language_code };
    return this.transport.read('/connection', { headers }, { signal });
  }

  /** The audio of an avatar's greeting. `url` is absent if it cannot be spoken. */
  greeting(avatar_id: string, { language_code, signal }: ConnectOptions = {}): Promise<SpokenGreeting> {
    const query = new URLSearchParams({ avatar_id });
    if (language_code !== undefined) query.set('language_code', language_code);
    return this.transport.read(`/speech/greeting?${query}`, {}, { signal });
  }

  /** Sends a turn and waits for the whole answer, unless a person answers later. An abort does not stop the avatar. */
  turn(turn: Turn, { signal, idempotencyKey = newKey() }: TurnOptions = {}): Promise<TurnResponse> {
    return this.transport.read('/chat', turnRequest(turn, idempotencyKey), { signal });
  }

  /** Sends a turn and streams the answer. Leaving the loop, or an abort, interrupts the avatar. */
  async *stream(turn: Turn, { signal, idempotencyKey = newKey() }: TurnOptions = {}): AsyncGenerator<TurnEvent, void> {
    const request = turnRequest(turn, idempotencyKey);
    request.headers['Accept'] = 'text/event-stream';
    let outgoing = false;
    let spoken = false;
    let isComplete = false;
    for (let attempt = 0; ; attempt++) {
      const exchange = this.transport.exchange(signal);
      try {
        const { body } = await this.transport.open('/chat', request, exchange);
        if (spoken) yield { event: 'restart' };
        spoken = false;
        for await (const { event, data } of readEvents(body!, exchange)) {
          if (event === 'error') throw errorOfEvent(data as ErrorBody);
          if (event === 'delta') {
            spoken = true;
            yield { event, text: (data as { text: string }).text };
          } else if (event === 'audio') {
            spoken = true;
            yield { event, sentence: data as SpokenSentence };
          } else if (event === 'sources') {
            yield { event, sources: (data as { sources: Source[] }).sources };
          } else if (event === 'conversation') {
            isComplete = true;
            yield { ...(data as Omit<ConversationEvent, 'event'>), event };
          } else if (event === 'interrupted') {
            yield { event };
          } else if (event === 'incoming') {
            // Read to the end, so that the connection can be reused.
            isComplete = true;
            yield { event, message: data as Message };
          } else if (event === 'outgoing' && !outgoing) {
            outgoing = true;
            yield { event, message: data as Message };
          }
        }
        if (isComplete) return;
        throw networkError('The response ended early.');
      } catch (error) {
        if (isComplete) return;
        await this.transport.beforeRetry(error, attempt, { signal });
      } finally {
        exchange.dispose();
      }
    }
  }

  /** How a live conversation reaches the service. */
  liveAccess(signal?: AbortSignal): LiveAccess {
    return {
      url: this.transport.url,
      WebSocket: this.options.WebSocket,
      token: () => this.tokens.get(),
      check: () => this.transport.read('/v1/realtime/client_secrets', jsonRequest({}), { signal, retries: 0 }),
    };
  }

  /** One page of the history, newest first. */
  page({ per_page, before, signal }: PageOptions = {}): Promise<HistoryPage> {
    const query = new URLSearchParams({ user_id: this.options.user_id });
    if (per_page !== undefined) query.set('per_page', String(per_page));
    if (before !== undefined) query.set('before', before);
    return this.transport.read(`/chat?${query}`, {}, { signal });
  }

  /** The history, newest first. Each message comes once, even if others arrive meanwhile. Pages are fetched on demand. */
  async *history({ per_page, before, signal }: PageOptions = {}): AsyncGenerator<Message, void> {
    for (let more = true; more;) {
      const page = await this.page({ per_page, before, signal });
      yield* page.payload;
      before = page.payload.at(-1)?._id;
      more = page.has_more_messages && before !== undefined;
    }
  }

  /**
   * Messages and other events of the user's conversation as they happen: of this client, of another one, of a person.
   * Reconnects after a lost connection, renews the token, and continues after the last message.
   *
   * @throws AvatarChatError if the service refuses it; `replaced` if the user has opened too many
   */
  events(options: EventsOptions = {}): AsyncGenerator<ChatEvent, void> {
    return followEvents(this.transport, this.tokens, options);
  }

  /** Shows who answers: the avatar, or a person. */
  conversation({ signal }: CallOptions = {}): Promise<Conversation> {
    return this.transport.read('/chat/conversation', {}, { signal });
  }

  /** Asks for a person (`waiting`), or goes back to the avatar. */
  setConversation(state: 'avatar' | 'waiting', { signal }: CallOptions = {}): Promise<Conversation> {
    const request = { ...jsonRequest({ state }), method: 'PUT' };
    return this.transport.read('/chat/conversation', request, { signal });
  }

  /** The timing of the phonemes in the recording at an answer's `fileUrl`. */
  speech(fileUrl: string, { signal }: CallOptions = {}): Promise<SpeechDetails> {
    const url = new URL(fileUrl);
    url.pathname += '/details';
    return this.transport.read(url.href, {}, { signal, withToken: false });
  }

  /**
   * The token, for requests made by other means.
   *
   * @param refused the token that got a 403, to get a new one
   */
  async token(refused?: string): Promise<string> {
    const current = this.tokens.get();
    if (refused !== undefined && (await current) === refused) this.tokens.invalidate(current);
    return this.tokens.get();
  }

  /**
   * Calls any route of the service, such as a module's, with the token, its renewal and retries. A request that may change
   * something is only retried if the service did not process it, or if it has an `Idempotency-Key`.
   *
   * @param path such as `/ratings/1`, on the service's origin
   * @returns the JSON of the response; undefined if it has no body
   * @throws TypeError if the path has another origin
   */
  async request<T = unknown>(path: string, options: RequestOptions = {}): Promise<T> {
    const { request, repeatable } = serviceRequest(options);
    const url = serviceUrl(this.transport.url, path);
    return this.transport.read<T>(url, request, {
      signal: options.signal,
      retryOn: repeatable ? TRANSIENT_STATUSES : UNPROCESSED_STATUSES,
      allowEmpty: true,
    });
  }

  /** Does not retry: the request that needs the token does. */
  private async issueToken(): Promise<string> {
    const { user_id, project_id, user_hash } = this.options;
    const request = jsonRequest({ user_id, project_id, user_hash });
    return (await this.transport.read<TokenResponse>('/jwt', request, { withToken: false, retries: 0 })).jwt;
  }
}

function errorOfEvent({ error, message, status, request_id }: ErrorBody): AvatarChatError {
  return new AvatarChatError(error, message, status, request_id);
}
