import {
  type OutgoingHttp,
  outgoingUrlFault,
  providerFetch,
  type ResponseLimits,
  traceparent,
  untilAborted,
} from 'avatar-chat-runtime';
import type { OpenAI } from 'openai';
import { type Config, isProviderKeyName } from 'avatar-chat-settings';
import { entryFaults, type FieldRule, textRule } from 'avatar-chat-catalogue';
import { MissingKeyError } from './openai.errors.js';
import type { OpenAiServer } from './openai.server.js';

export interface ClientLimits extends ResponseLimits {
  readonly maxRetries: number;
  /** Timeout for the response headers of each attempt; the rest is bounded by the call's signal. */
  readonly timeoutMs?: number;
}

/** A call of the API; `options` are passed to the client's method. */
export type OpenAiCall<T> = (client: OpenAI, options: { readonly signal: AbortSignal }) => Promise<T>;

/** Servers with the OpenAI API: validation of their catalogue entries, and clients within this service's limits. */
export class OpenAiServers {
  private readonly rules: Readonly<Record<keyof OpenAiServer, FieldRule>>;

  constructor(
    private readonly config: Config,
    private readonly http: OutgoingHttp,
  ) {
    this.rules = {
      base_url: [
        (value) => outgoingUrlFault(value, config) === undefined,
        (value) => outgoingUrlFault(value, config) ?? '',
      ],
      model: textRule(200),
      api_key_env: [
        (value) => isProviderKeyName(value, config.catalogueSecrets),
        'must be OPENAI_API_KEY, begin with PROVIDER_, or be one of CATALOGUE_SECRETS',
      ],
    };
  }

  /** The faults of an entry with a server and these further fields, each starting with the name of its field. */
  faultsOf(
    entry: Readonly<Record<string, unknown>>,
    rules: Readonly<Record<string, FieldRule>> = {},
    optional: readonly string[] = [],
  ): string[] {
    return entryFaults(entry, { ...this.rules, ...rules }, ['api_key_env', ...optional]);
  }

  /**
   * Makes a call, and gives up when `signal` is aborted: the client's own retry delay does not end with it.
   *
   * @throws MissingKeyError if the server's key is not set, or any other error: {@link reasonOf} describes it
   */
  async call<T>(
    server: OpenAiServer,
    { signal, ...limits }: ClientLimits & { readonly signal: AbortSignal },
    ask: OpenAiCall<T>,
  ): Promise<T> {
    const client = await this.clientFor(server, limits);
    signal.throwIfAborted();
    return untilAborted(ask(client, { signal }), signal);
  }

  /**
   * The key of a server; undefined if it needs none. Checked again here, since the entry may be older than the rule.
   *
   * @throws MissingKeyError if it is not set
   */
  keyOf({ api_key_env }: OpenAiServer): string | undefined {
    if (api_key_env === undefined) return undefined;
    const key = isProviderKeyName(api_key_env, this.config.catalogueSecrets)
      ? this.config.secret(api_key_env)
      : undefined;
    if (key === undefined) throw new MissingKeyError(String(api_key_env));
    return key;
  }

  private async clientFor(server: OpenAiServer, limits: ClientLimits): Promise<OpenAI> {
    const apiKey = this.keyOf(server) ?? 'none';
    // Loaded lazily: most services have no such server, and startup should not wait for it.
    const { default: OpenAI } = await import('openai');
    // The package would take omitted options from the environment; its log would contain users' words.
    return new OpenAI({
      apiKey,
      adminAPIKey: null,
      organization: null,
      project: null,
      webhookSecret: null,
      baseURL: server.base_url,
      maxRetries: limits.maxRetries,
      logLevel: 'off',
      defaultHeaders: { traceparent: traceparent() },
      ...(limits.timeoutMs === undefined ? {} : { timeout: limits.timeoutMs }),
      fetch: providerFetch(this.http, limits),
    });
  }
}
