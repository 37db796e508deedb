import '@fastify/multipart';
import { Controller, Delete, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import {
  ApiBody,
  ApiConsumes,
  ApiCreatedResponse,
  ApiExtraModels,
  ApiOkResponse,
  ApiParam,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AllowOperators, ForOperators } from '../admin/index.js';
import { formError, failure } from '../platform/errors/index.js';
import { ApiErrors } from '../platform/openapi/index.js';
import {
  KnowledgeDocumentDetails,
  KnowledgeDocumentList,
  KnowledgeForm,
  KnowledgePassageList,
  KnowledgeQuery,
  KnowledgeSearchQuery,
} from './knowledge.dto.js';
import { MAX_DOCUMENT_BYTES, type Upload } from './knowledge.rules.js';
import { KnowledgeService } from './knowledge.service.js';

const FORM = 'A form must have one file, named file, and may have the fields title and url, each once.';

@ApiTags('Administration')
@Controller('admin/knowledge/:base')
@ApiParam({ name: 'base', schema: { type: 'string', pattern: '^[a-z0-9-]{1,64}$' } })
@ForOperators()
export class KnowledgeController {
  constructor(private readonly knowledge: KnowledgeService) {}

  /** Add a document to a knowledge base, or replace the one with its title. */
  @Post('documents')
  @AllowOperators({ project: 'query', action: 'knowledge.add', details: ['base'] })
  @RouteConfig({ multipart: true })
  @ApiExtraModels(KnowledgeForm, KnowledgeDocumentDetails)
  @ApiConsumes('multipart/form-data')
  @ApiBody({ schema: { $ref: getSchemaPath(KnowledgeForm) } })
  @ApiCreatedResponse({ type: KnowledgeDocumentDetails })
  @ApiOkResponse({ type: KnowledgeDocumentDetails, description: 'The same document is there already.' })
  @ApiErrors(
    'invalid_project_id',
    ['invalid_input', FORM],
    'malformed_form',
    'unknown_project',
    'payload_too_large',
    'unsupported_media_type',
    ['invalid_document', '…'],
    ['knowledge_full', '…'],
  )
  async add(
    @Param('base') base: string,
    @Query() { project_id }: KnowledgeQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { document, added } = await this.knowledge.add({ project_id, base }, await readForm(request));
    await reply.status(added ? 201 : 200).send(document);
  }

  /** List the documents of a knowledge base. */
  @Get('documents')
  @AllowOperators({ project: 'query' })
  @ApiErrors('invalid_project_id', ['invalid_input', FORM], 'unknown_project')
  async list(@Param('base') base: string, @Query() { project_id }: KnowledgeQuery): Promise<KnowledgeDocumentList> {
    return { documents: await this.knowledge.list({ project_id, base }) };
  }

  /** Remove a document from a knowledge base. */
  @Delete('documents/:document_id')
  @AllowOperators({ project: 'query', action: 'knowledge.remove', details: ['base', 'document_id'] })
  @HttpCode(204)
  @ApiErrors('invalid_project_id', ['invalid_input', FORM], 'unknown_project', 'document_not_found')
  remove(
    @Param('base') base: string,
    @Param('document_id') document_id: string,
    @Query() { project_id }: KnowledgeQuery,
  ): Promise<void> {
    return this.knowledge.remove({ project_id, base }, document_id);
  }

  /** Find the passages of a knowledge base that answer a question. */
  @Get('search')
  @AllowOperators({ project: 'query' })
  @ApiErrors('invalid_project_id', ['invalid_input', FORM], 'unknown_project')
  async search(@Param('base') base: string, @Query() query: KnowledgeSearchQuery): Promise<KnowledgePassageList> {
    const { project_id, q, number } = query;
    return { passages: await this.knowledge.search({ project_id, base }, q, number) };
  }
}

async function readForm(request: FastifyRequest): Promise<Upload> {
  if (!request.isMultipart()) throw failure('invalid_input', FORM);
  const fields = new Map<string, unknown>();
  let file: { bytes: Buffer; name: string } | undefined;
  try {
    for await (const part of request.parts({ limits: { fileSize: MAX_DOCUMENT_BYTES + 1 } })) {
      if (part.type === 'file' ? file || part.fieldname !== 'file' : fields.has(part.fieldname))
        throw failure('invalid_input', FORM);
      if (part.type === 'file') file = { bytes: await part.toBuffer(), name: part.filename ?? '' };
      else fields.set(part.fieldname, part.value);
    }
  } catch (error) {
    throw formError(error, request);
  }
  const { title, url } = Object.fromEntries(fields);
  if (!file) throw failure('invalid_input', FORM);
  return { ...file, ...(title === undefined ? {} : { title: String(title) }), ...(url ? { url: String(url) } : {}) };
}
