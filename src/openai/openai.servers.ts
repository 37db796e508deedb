import { Injectable } from '@nestjs/common';
import type { OpenAI } from 'openai';
import { Config, isProviderKeyName } from '../platform/config/index.js';
import { entryFaults, type FieldRule, textRule } from '../platform/kinds/index.js';
import { untilAborted } from '../platform/waits/index.js';
import { OutgoingHttp, outgoingUrlFault } from '../outgoing/index.js';
import { MissingKeyError } from './openai.errors.js';
import { type AnswerLimits, providerFetch } from './openai.fetch.js';

/** A model behind any server with the OpenAI API, as entries of the catalogue name it. */
export interface OpenAiServer {
  /** Up to the version: `https://api.openai.com/v1`, `http://127.0.0.1:11434/v1`. */
  readonly base_url: string;
  readonly model: string;
  /** The name of the environment variable that holds the key; left out for a server that wants none. */
  readonly api_key_env?: string;
}

export interface ClientLimits extends AnswerLimits {
  readonly maxRetries: number;
  /** For the head of an answer, each time it is asked; the rest is bounded by the call's signal. */
  readonly timeoutMs?: number;
}

/** A call of the API; `options` are for the client's method. */
export type OpenAiCall<T> = (client: OpenAI, options: { readonly signal: AbortSignal }) => Promise<T>;

/** Servers with the OpenAI API: what the catalogue may say of them, and clients that keep to the bounds of this service. */
@Injectable()
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

  /** The faults of an entry that names a server and has these further fields, each starting with the name of its field. */
  faultsOf(
    entry: Readonly<Record<string, unknown>>,
    rules: Readonly<Record<string, FieldRule>> = {},
    optional: readonly string[] = [],
  ): string[] {
    return entryFaults(entry, { ...this.rules, ...rules }, ['api_key_env', ...optional]);
  }

  /**
   * Makes a call, and gives up when `signal` does: the client's own pause before it asks again does not end with it.
   *
   * @throws MissingKeyError if the server's key is not set, or whatever else has gone wrong: {@link reasonOf} tells
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
   * The key of a server; undefined if it wants none. Asked again here, for the entry may be older than the rule.
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
    // Loaded when it is needed: most services have no such server, and a start should not wait for it.
    const { default: OpenAI } = await import('openai');
    // What is not given here, the package would take from the environment; its log would hold what users say.
    return new OpenAI({
      apiKey,
      adminAPIKey: null,
      organization: null,
      project: null,
      webhookSecret: null,
      baseURL: server.base_url,
      maxRetries: limits.maxRetries,
      logLevel: 'off',
      ...(limits.timeoutMs === undefined ? {} : { timeout: limits.timeoutMs }),
      fetch: providerFetch(this.http, limits),
    });
  }
}
