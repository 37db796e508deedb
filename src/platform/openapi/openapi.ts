import type { INestApplication } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { ErrorBody } from '../errors/index.js';
import { setPagePolicy } from '../http/index.js';
import { type DocumentedError, errorResponses } from './openapi.errors.js';

const DESCRIPTION = `Talk with a configurable avatar by text, voice or video, and read what was said.

1. \`POST /jwt\` gives a token for a user.
2. \`GET /connection\` tells what the project offers, and opens a session.
3. \`POST /chat\` says something to an avatar, and answers with what it says.
4. \`GET /chat\` pages the history.

Send the token as \`Authorization: Bearer …\`. **403 means that the token has expired, and nothing else**: get a new one and
retry once. Every answer that is not 2xx has the one error body, and every answer an \`X-Request-Id\`.`;

/** The security scheme of the operators' routes. */
export const ADMIN_SCHEME = 'admin';

/** What any route can answer, any that needs a token, and any of the operators'. */
const EVERYWHERE: readonly DocumentedError[] = ['internal_error'];
const WITH_TOKEN: readonly DocumentedError[] = [
  ...EVERYWHERE,
  'missing_token',
  'invalid_token',
  'project_not_found',
  'token_expired',
  'rate_limited',
  'service_unavailable',
];
const WITH_ADMIN_KEY: readonly DocumentedError[] = [
  ...EVERYWHERE,
  'invalid_admin_key',
  'rate_limited',
  'service_unavailable',
];

/** The interface as an OpenAPI document. */
export function openApiDocument(app: INestApplication): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setTitle('Avatar chat')
    .setDescription(DESCRIPTION)
    .setVersion('1')
    .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' })
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'The ADMIN_KEY.' }, ADMIN_SCHEME)
    .addSecurityRequirements('bearer')
    .build();
  const document = SwaggerModule.createDocument(app, builder, {
    operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '').toLowerCase()}_${method}`,
    extraModels: [ErrorBody],
    autoTagControllers: true,
  });
  for (const path of Object.values(document.paths)) {
    for (const operation of [path.get, path.post, path.put, path.patch, path.delete]) {
      if (!operation) continue;
      const open = operation.security?.some((requirement) => Object.keys(requirement).length === 0);
      if (open) operation.security = [];
      const isAdmin = operation.security?.some((requirement) => ADMIN_SCHEME in requirement);
      const errors = open ? EVERYWHERE : isAdmin ? WITH_ADMIN_KEY : WITH_TOKEN;
      for (const [status, response] of errorResponses(errors)) operation.responses[status] ??= response;
    }
  }
  return document;
}

/** The page loads from this service alone, and calls it alone. Its library writes styles into elements. */
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

/** Serves the document at `/docs-json`, and a page to read and try it at `/docs`. */
export function setupOpenApi(app: INestApplication): void {
  setPagePolicy(app.getHttpAdapter().getInstance() as FastifyInstance, '/docs', PAGE_POLICY);
  SwaggerModule.setup('docs', app, () => openApiDocument(app), { jsonDocumentUrl: 'docs-json', raw: ['json'] });
}
