import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';

/** The interface as an OpenAPI document. */
export function openApiDocument(app: INestApplication): OpenAPIObject {
  const document = new DocumentBuilder()
    .setTitle('Avatar chat')
    .setDescription('Tokens, chat configuration and chat history of a self-hosted avatar chat service.')
    .setVersion('1')
    .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' })
    .addSecurityRequirements('bearer')
    .build();
  return SwaggerModule.createDocument(app, document, { operationIdFactory: (_controller, method) => method });
}

/** Serves the document at `/docs-json`, and a page to read and try it at `/docs`. */
export function setupOpenApi(app: INestApplication): void {
  SwaggerModule.setup('docs', app, () => openApiDocument(app), { jsonDocumentUrl: 'docs-json', raw: ['json'] });
}
