import { isDeepStrictEqual } from 'node:util';
import type { INestApplication } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { ErrorBody } from '../errors/index.js';
import { mountOf, setPagePolicy } from '../http/index.js';
import { placeBodies } from './openapi.bodies.js';
import { type DocumentedError, errorResponses } from './openapi.errors.js';
import { addBodyExamples, operationsOf, separateStreams } from './openapi.operations.js';
import { describeWebhooks, webhookModels } from './openapi.webhooks.js';

const DESCRIPTION = `Talk with configurable avatars by text, voice or video, and read the history.

1. \`POST /jwt\` issues a token for a user.
2. \`GET /connection\` lists the avatars, languages and settings of the project, and opens a session.
3. \`POST /chat\` sends a message to an avatar, and returns its answer.
4. \`GET /chat\` returns the history in pages.

Send the token as \`Authorization: Bearer …\`. **403 means that the token has expired, and nothing else**: get a new one and
retry once. Every error has the same body, and every response an \`X-Request-Id\`.

The live mode is a WebSocket at \`/v1/realtime?model=<avatar_id>\`, which this document cannot describe: see docs/live.md.`;

const TOKEN = `A token of \`POST /jwt\`, or of the project's identity provider if it has one.`;

/** The security scheme of the operators' routes. */
export const ADMIN_SCHEME = 'admin';
const TOKEN_SCHEME = 'bearer';

export type SecuritySchemeObject = Parameters<DocumentBuilder['addSecurity']>[1];
/** Security schemes of modules' guards, by name. */
const schemes = new Map<string, SecuritySchemeObject>();

/**
 * Registers a security scheme, for the documents whose routes use it.
 *
 * @throws Error if the name is one of the service's, or already has a different scheme
 */
export function documentScheme(name: string, scheme: SecuritySchemeObject): void {
  const known = schemes.get(name);
  const isTaken = [ADMIN_SCHEME, TOKEN_SCHEME].includes(name) || (known && !isDeepStrictEqual(known, scheme));
  if (isTaken) throw new Error(`The security scheme '${name}' is another one already.`);
  schemes.set(name, scheme);
}

/** Errors of all routes, of routes with a token, and of the operators' routes. */
const EVERYWHERE: readonly DocumentedError[] = ['bad_request', 'internal_error'];
const WITH_TOKEN: readonly DocumentedError[] = [
  ...EVERYWHERE,
  'missing_token',
  'invalid_token',
  'project_not_found',
  'token_expired',
  'rate_limited',
  'service_unavailable',
];
const WITH_OTHER_GUARD: readonly DocumentedError[] = [...EVERYWHERE, 'forbidden', 'rate_limited'];
const WITH_ADMIN_KEY: readonly DocumentedError[] = [
  ...EVERYWHERE,
  'invalid_admin_key',
  'forbidden_to_key',
  'rate_limited',
  'service_unavailable',
];

/** Metadata of a service for its OpenAPI document. */
export interface OpenApiOptions {
  /** @internal The path under which clients reach the service, of `PUBLIC_URL`. */
  server?: string;
  /** Default: `Avatar chat`. */
  title?: string;
  /** Default: `1`. */
  version?: string;
  /** Tags, in display order; tags that routes have by `@ApiTags` need not be listed. */
  tags?: readonly (string | { name: string; description?: string })[];
}

/** The API as an OpenAPI document. */
export function openApiDocument(app: INestApplication, options: OpenApiOptions = {}): OpenAPIObject {
  const { title = 'Avatar chat', version = '1', tags = [], server = '/' } = options;
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle(title)
    .setDescription(DESCRIPTION)
    .setVersion(version)
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer(server)
    .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: TOKEN })
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', description: 'The ADMIN_KEY, or one of ADMIN_KEYS.' },
      ADMIN_SCHEME,
    )
    .addSecurityRequirements(TOKEN_SCHEME)
    .addTag('Tokens', 'Start here: a token for a user.')
    .addTag('Connection', 'What the project offers.')
    .addTag('Chat', 'Messages, answers and ratings.')
    .addTag('Files', 'Recordings and spoken answers, by signed URLs.')
    .addTag('Live', 'Conversations in real time.')
    .addTag('Administration', 'For operators who have the `ADMIN_KEY`, or one of `ADMIN_KEYS`, each with a role.')
    .addTag('Operations', 'Health and metrics, for load balancers and monitoring.')
    .addTag('Webhooks', 'What the service sends to your receivers.');
  for (const tag of tags) {
    const { name, description } = typeof tag === 'string' ? { name: tag } : tag;
    builder.addTag(name, description);
  }
  const document = SwaggerModule.createDocument(app, builder.build(), {
    operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '').toLowerCase()}_${method}`,
    extraModels: [ErrorBody, ...webhookModels()],
    autoTagControllers: true,
  });
  for (const operation of operationsOf(document)) {
    placeBodies(operation);
    const open = operation.security?.some((requirement) => Object.keys(requirement).length === 0);
    if (open) operation.security = [];
    const names = operation.security?.flatMap((requirement) => Object.keys(requirement)) ?? [];
    const other = names.filter((name) => schemes.has(name));
    for (const name of other) (document.components!.securitySchemes ??= {})[name] = schemes.get(name)!;
    const isAdmin = names.includes(ADMIN_SCHEME);
    const errors = open ? EVERYWHERE : isAdmin ? WITH_ADMIN_KEY : other.length > 0 ? WITH_OTHER_GUARD : WITH_TOKEN;
    for (const [status, response] of errorResponses(errors)) operation.responses[status] ??= response;
    operation.description ||= operation.summary;
  }
  addBodyExamples(document);
  separateStreams(document);
  document.webhooks = describeWebhooks();
  // Not from its providers, which a preview of the application does not have.
  const prefix = mountOf(app.getHttpAdapter())?.prefix;
  if (prefix)
    document.paths = Object.fromEntries(Object.entries(document.paths).map(([path, item]) => [prefix + path, item]));
  return document;
}

/** The page loads from and calls only this service. Its library writes inline styles. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Hides the library's top bar and logos. */
const PAGE_STYLE = `
.swagger-ui .topbar { display: none }
.swagger-ui .info { margin: 32px 0 }
.swagger-ui .scheme-container { box-shadow: none; border-block: 1px solid #dcdfec }
`;

/** Serves the document at `/docs-json`, and a page to read and try it at `/docs`. */
export function setupOpenApi(app: INestApplication, options: OpenApiOptions = {}): void {
  setPagePolicy(app.getHttpAdapter().getInstance() as FastifyInstance, '/docs', PAGE_POLICY);
  SwaggerModule.setup('docs', app, () => openApiDocument(app, options), {
    jsonDocumentUrl: 'docs-json',
    raw: ['json'],
    customSiteTitle: `${options.title ?? 'Avatar chat'} API`,
    customCss: PAGE_STYLE,
    swaggerOptions: { displayRequestDuration: true, filter: true, persistAuthorization: false, tryItOutEnabled: true },
  });
}
