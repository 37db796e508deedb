import { LISTENING, run, whenReady } from './processes.mjs';

/** An OpenID provider in a process of its own. */
export interface OidcProvider {
  /** Its issuer. */
  url: string;
  /** An access token for a client, who is its subject, and an audience. */
  token(client_id: string, resource: string): Promise<string>;
  /** Any token, signed by its key. */
  sign(header: Record<string, unknown>, claims: Record<string, unknown>): Promise<string>;
  /** The identifier of its key. */
  kid(): Promise<string>;
  rotate(): Promise<void>;
  /** The fault of its key responses; `good` for none. */
  mode(mode: string): Promise<void>;
  /** How often these were requested. */
  fetches(): Promise<number>;
  stop(): Promise<void>;
}

export async function startOidcProvider(): Promise<OidcProvider> {
  const running = await whenReady(run('test/support/oidc-provider.program.mjs'), LISTENING);
  const url = running.match[1]!;
  const control = async (what: string, query: Record<string, string> = {}) =>
    (await (await fetch(`${url}/control/${what}?${new URLSearchParams(query)}`, { method: 'POST' })).json()) as {
      fetches: number;
      kid: string;
      token: string;
    };
  return {
    url,
    async token(client_id, resource) {
      const body = { client_id, client_secret: 'a secret of a test', grant_type: 'client_credentials', resource };
      const answer = await fetch(`${url}/token`, { method: 'POST', body: new URLSearchParams(body) });
      return ((await answer.json()) as { access_token: string }).access_token;
    },
    sign: async (header, claims) => (await control('sign', { token: JSON.stringify({ header, claims }) })).token,
    kid: async () => (await control('kid')).kid,
    rotate: async () => void (await control('rotate')),
    mode: async (is) => void (await control('mode', { is })),
    fetches: async () => (await control('fetches')).fetches,
    stop: async () => void (await running.stop('SIGKILL')),
  };
}
