/**
 * An OpenID provider as a separate program: npm's oidc-provider, whose keys can be rotated and whose key responses can
 * be broken. Prints its URL, which is also its issuer.
 *
 * - `POST /token`: a JWT by client credentials; the client is the subject, the `resource` the audience
 * - `POST /control/rotate`: another signing key, and the old one withdrawn
 * - `POST /control/mode?is=…`: `good`, `down`, `silent`, `redirect`, `huge`, `many`, `empty`, `other-issuer`
 * - `POST /control/sign?token=…`: a token from this JSON, `{ header, claims }`, signed by the current key
 * - `GET /control/fetches`: how often its configuration and keys were requested
 */
import { createServer } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { Provider } from 'oidc-provider';

const CLIENTS = ['ann', 'auth0|bob', 'x'.repeat(129)];
const MANY_KEYS = 101;

let mode = 'good';
let fetches = 0;
let keys = 0;
/** @type {import('jose').CryptoKey} */
let signing;
/** @type {(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) => unknown} */
let provide;

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', issuer());
  if (url.pathname.startsWith('/control/')) return void control(url, response);
  if (!/^\/(\.well-known|jwks)/.test(url.pathname)) return provide(request, response);
  fetches++;
  if (mode === 'down') return request.socket.destroy();
  if (mode === 'silent') return undefined;
  if (mode === 'redirect') return response.writeHead(302, { location: '/elsewhere' }).end();
  if (mode === 'other-issuer')
    return json(response, { issuer: 'https://id.example.org', jwks_uri: `${issuer()}/jwks` });
  if (url.pathname !== '/jwks' || mode === 'good') return provide(request, response);
  if (mode === 'huge') return json(response, { keys: [{ kty: 'RSA', n: 'A'.repeat(300_000) }] });
  return json(response, { keys: mode === 'many' ? Array.from({ length: MANY_KEYS }, () => ({ kty: 'RSA' })) : [] });
});
server.listen(0, '127.0.0.1', async () => {
  await rotate();
  console.log(`listening on ${issuer()}`);
});

function issuer() {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return `http://127.0.0.1:${port}`;
}

/** @param {URL} url @param {import('node:http').ServerResponse} response */
async function control(url, response) {
  if (url.pathname === '/control/rotate') await rotate();
  if (url.pathname === '/control/mode') mode = url.searchParams.get('is') ?? 'good';
  const { header, claims } = JSON.parse(url.searchParams.get('token') ?? '{}');
  const token = header && (await new SignJWT(claims).setProtectedHeader(header).sign(signing));
  json(response, { fetches, token, kid: `key-${keys}` });
}

/** @param {import('node:http').ServerResponse} response @param {object} body */
function json(response, body) {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function rotate() {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  signing = privateKey;
  const key = { ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: `key-${++keys}` };
  const provider = new Provider(issuer(), {
    jwks: { keys: [/** @type {never} */ (key)] },
    clients: CLIENTS.map((client_id) => ({
      client_id,
      client_secret: 'a secret of a test',
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
    })),
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context, resource) => ({
          scope: 'chat',
          audience: resource,
          accessTokenFormat: 'jwt',
          accessTokenTTL: 3600,
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  });
  provide = provider.callback();
}
