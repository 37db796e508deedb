import type { INestApplication } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { ErrorBody } from '../errors/index.js';
import { setPagePolicy } from '../http/index.js';
import { type DocumentedErrors, errorResponse } from './openapi.errors.js';

const DESCRIPTION = `Talk with a configurable avatar by text, voice or video, and read what was said.

1. \`POST /jwt\` gives a token for a user.
2. \`GET /connection\` tells what the project offers, and opens a session.
3. \`POST /chat\` says something to an avatar, and answers with what it says.
4. \`GET /chat\` pages the history.

Send the token as \`Authorization: Bearer …\`. **403 means that the token has expired, and nothing else**: get a new one and
retry once. Every answer that is not 2xx has the one error body, and every answer an \`X-Request-Id\`.`;

/** What any route can answer. */
const EVERYWHERE: DocumentedErrors = { 500: ['internal_error'] };

/** What any route that needs a token can answer. */
const WITH_TOKEN: DocumentedErrors = {
  401: [
    ['missing_token', 'The request needs a bearer token, which POST /jwt issues.'],
    ['invalid_token', 'The bearer token is not valid.'],
    ['project_not_found', 'There is no such project.'],
  ],
  403: [['token_expired', 'The bearer token has expired. POST /jwt issues a new one.']],
  429: ['rate_limited'],
  503: ['service_unavailable'],
};

/** The security scheme of the operators' routes, */
export const ADMIN_SCHEME = 'admin';

/** and what any of them can answer. */
const WITH_ADMIN_KEY: DocumentedErrors = {
  401: [['invalid_admin_key', 'The request needs the ADMIN_KEY as its bearer token.']],
  429: ['rate_limited'],
  503: ['service_unavailable'],
};

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
      const closed = isAdmin ? WITH_ADMIN_KEY : WITH_TOKEN;
      for (const [status, codes] of Object.entries({ ...EVERYWHERE, ...(open ? {} : closed) })) {
        operation.responses[status] ??= errorResponse(Number(status), codes);
      }
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
