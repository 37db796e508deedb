import { Readable } from 'node:stream';
import { Body, Controller, Delete, Get, Headers, HttpCode, Param, Post, Put, Query, Req, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBody, ApiHeader, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CATALOGUE_FILE_SCHEMA, CatalogueFileError } from 'avatar-chat-catalogue';
import { ApiErrors } from '../platform/openapi/index.js';
import { ResponseMemory } from '../platform/limits/index.js';
import { failure } from '../platform/errors/index.js';
import { ExactQuery } from '../platform/validation/index.js';
import {
  CatalogueApplied,
  CatalogueDocument,
  CatalogueFaults,
  DeliveryList,
  Erased,
  ErasedUser,
  MAX_DAYS,
  MAX_SEARCH,
  ProjectDetails,
  ProjectList,
  ProjectName,
  QualityReport,
  ReplyList,
  Statistics,
  StatisticsQuery,
  UsageReport,
  UserList,
  UserName,
  UsersQuery,
} from './admin.dto.js';
import { catalogueText } from './catalogue.text.js';
import { jsonLines } from 'avatar-chat-runtime';
import { AdminQuality } from './admin.quality.js';
import { AdminService } from './admin.service.js';
import { AdminUsers } from './admin.users.js';
import { ForOperators } from './for-operators.js';
import { AllowOperators, CurrentOperator, type Operator } from './operator.access.js';
import { MemoryList } from '../memory/index.js';

/** Larger catalogues are applied from the command line. */
const CATALOGUE_LIMIT = 1024 * 1024;
/** Memory of an export: the messages that were read and the lines that wait for the client. */
const EXPORT_BYTES = 1024 * 1024;
const LINES = { schema: { type: 'string' } };
/** Also documented as text, for clients generated from the OpenAPI document that do not know JSON lines. */
const JSON_LINES = { 'application/x-ndjson': LINES, 'text/plain': LINES };

@ApiTags('Administration')
@Controller('admin')
@ForOperators()
export class AdminController {
  constructor(
    private readonly admin: AdminService,
    private readonly users: AdminUsers,
    private readonly quality: AdminQuality,
    private readonly held: ResponseMemory,
  ) {}

  /** List the projects of the key. */
  @Get('projects')
  @AllowOperators({ roles: ['agent', 'viewer'], project: 'listed' })
  async listProjects(@CurrentOperator() { onlyProject }: Operator): Promise<ProjectList> {
    const projects = await this.admin.listProjects();
    return { projects: projects.filter((project) => project === (onlyProject ?? project)) };
  }

  /** Add a project with the avatars and languages of the default project. */
  @ApiErrors(
    'invalid_project_id',
    'invalid_json',
    'project_exists',
    'project_has_messages',
    'payload_too_large',
    'unsupported_media_type',
  )
  @Post('projects')
  @AllowOperators({ allProjects: true, project: 'body', action: 'project.add' })
  addProject(@Body() { project_id }: ProjectName): Promise<ProjectDetails> {
    return this.admin.addProject(project_id);
  }

  /** Show a project, with its key. */
  @ApiErrors('invalid_project_id', 'unknown_project')
  @Get('projects/:project_id')
  @AllowOperators({ project: 'params' })
  showProject(@Param() { project_id }: ProjectName): Promise<ProjectDetails> {
    return this.admin.showProject(project_id);
  }

  /** Remove a project. Its messages stay. */
  @ApiErrors('invalid_project_id', 'unknown_project', 'default_project')
  @Delete('projects/:project_id')
  @AllowOperators({ allProjects: true, project: 'params', action: 'project.remove' })
  @HttpCode(204)
  removeProject(@Param() { project_id }: ProjectName, @Query() _: ExactQuery): Promise<void> {
    return this.admin.removeProject(project_id);
  }

  /** Show a project's statistics. */
  @ApiErrors('invalid_project_id', ['invalid_days', MAX_DAYS], 'unknown_project')
  @Get('projects/:project_id/statistics')
  @AllowOperators({ roles: ['viewer'], project: 'params' })
  countProject(@Param() { project_id }: ProjectName, @Query() query: StatisticsQuery): Promise<Statistics> {
    return this.admin.statistics(project_id, query.number);
  }

  /** Count how the avatars of a project answer. Counts are kept for 400 days. */
  @ApiErrors('invalid_project_id', ['invalid_days', MAX_DAYS], 'unknown_project')
  @Get('projects/:project_id/quality')
  @AllowOperators({ project: 'params' })
  showQuality(@Param() { project_id }: ProjectName, @Query() query: StatisticsQuery): Promise<QualityReport> {
    return this.quality.report(project_id, query.number);
  }

  /** Count what the avatars of a project used, by UTC day. */
  @ApiErrors('invalid_project_id', ['invalid_days', MAX_DAYS], 'unknown_project')
  @Get('projects/:project_id/usage')
  @AllowOperators({ roles: ['viewer'], project: 'params' })
  showUsage(@Param() { project_id }: ProjectName, @Query() query: StatisticsQuery): Promise<UsageReport> {
    return this.quality.usage(project_id, query.number);
  }

  /** List the prepared replies of a project, in its order. */
  @ApiErrors('invalid_project_id', 'unknown_project')
  @Get('projects/:project_id/replies')
  @AllowOperators({ roles: ['agent'], project: 'params' })
  async listReplies(@Param() { project_id }: ProjectName): Promise<ReplyList> {
    return { replies: (await this.admin.showProject(project_id)).replies ?? [] };
  }

  /** Find users of a project who have messages. */
  @ApiErrors('invalid_project_id', ['invalid_search', MAX_SEARCH], 'unknown_project')
  @Get('users')
  @AllowOperators({ roles: ['agent', 'viewer'], project: 'query' })
  async findUsers(@Query() { project_id, search }: UsersQuery): Promise<UserList> {
    return { users: await this.users.search(project_id, search || undefined) };
  }

  /** List the newest deliveries to a project's webhooks. */
  @ApiErrors('invalid_project_id', 'unknown_project')
  @Get('deliveries')
  @AllowOperators({ roles: ['viewer'], project: 'query' })
  async listDeliveries(@Query() { project_id }: ProjectName): Promise<DeliveryList> {
    return { deliveries: await this.admin.listDeliveries(project_id) };
  }

  /** Export the catalogue, without secrets. */
  @ApiOkResponse({ type: CatalogueDocument })
  @Get('catalogue')
  @AllowOperators({ allProjects: true })
  async exportCatalogue(@Res() reply: FastifyReply): Promise<void> {
    const tag = `"${await this.admin.readRevision()}"`;
    const text = await this.admin.exportCatalogue();
    await reply.header('ETag', tag).type('application/json; charset=utf-8').send(text);
  }

  /** Show the JSON Schema of catalogue files. */
  @ApiOkResponse({ schema: { type: 'object', additionalProperties: true } })
  @Get('catalogue/schema')
  @AllowOperators({ allProjects: true })
  showSchema(): object {
    return CATALOGUE_FILE_SCHEMA;
  }

  /** Apply a catalogue file, all of it or nothing. */
  @ApiBody({ type: CatalogueDocument })
  @ApiHeader({ name: 'If-Match', description: 'The `ETag` that it is a change of. Omitted: any.', required: false })
  @ApiErrors('invalid_json', 'catalogue_changed', 'payload_too_large', 'unsupported_media_type', 'invalid_catalogue')
  @RouteConfig({ bodyLimit: CATALOGUE_LIMIT })
  @Put('catalogue')
  @AllowOperators({
    allProjects: true,
    action: 'catalogue.apply',
    isChange: ({ changed }: CatalogueApplied) => changed,
  })
  applyCatalogue(@Body() file: unknown, @Headers('if-match') match = '*'): Promise<CatalogueApplied> {
    // A proxy that compresses makes it a weak one.
    const seen = match === '*' ? undefined : match.replace(/^W\//, '').replaceAll('"', '');
    return this.admin.applyCatalogue(catalogueText(file), seen).catch((error: unknown) => {
      throw error instanceof CatalogueFileError ? failure('invalid_catalogue') : error;
    });
  }

  /** Check a catalogue file without applying it. */
  @ApiBody({ type: CatalogueDocument })
  @ApiErrors('invalid_json', 'payload_too_large', 'unsupported_media_type')
  @RouteConfig({ bodyLimit: CATALOGUE_LIMIT })
  @Post('catalogue/check')
  @AllowOperators({ allProjects: true })
  @HttpCode(200)
  async checkCatalogue(@Body() file: unknown): Promise<CatalogueFaults> {
    return { faults: [...(await this.admin.checkCatalogue(catalogueText(file)))] };
  }

  /** Export a user's messages as JSON lines, oldest first; for owners, then what is remembered of the user. */
  @ApiOkResponse({ content: JSON_LINES })
  @ApiErrors('invalid_project_id', 'invalid_user_id', 'unknown_project')
  @Get('messages')
  @AllowOperators({ roles: ['agent'], project: 'query' })
  async exportMessages(
    @Query() user: UserName,
    @CurrentOperator() { role }: Operator,
    @Req() { headers, ip }: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    this.held.hold(['admin', ip], EXPORT_BYTES, reply.raw);
    const lines = jsonLines(this.admin.exportUser(user.owner, role === 'owner'));
    // Read the first line before the response starts, so that errors get a normal error response.
    const first = await lines.next();
    async function* all() {
      if (!first.done) yield first.value;
      yield* lines;
    }
    const type = headers.accept === 'text/plain' ? 'text/plain' : 'application/x-ndjson';
    await reply.type(`${type}; charset=utf-8`).send(Readable.from(all(), { objectMode: false }));
  }

  /** List what is remembered of a user. */
  @ApiErrors('invalid_project_id', 'invalid_user_id', 'unknown_project')
  @Get('memories')
  @AllowOperators({ project: 'query' })
  async listMemories(@Query() { owner }: UserName): Promise<MemoryList> {
    return { memories: await this.admin.listMemories(owner) };
  }

  /** Forget everything that is remembered of a user. */
  @ApiErrors('invalid_project_id', 'invalid_user_id', 'unknown_project')
  @Delete('memories')
  @AllowOperators({ project: 'query', action: 'memories.remove' })
  @HttpCode(204)
  removeMemories(@Query() { owner }: ErasedUser): Promise<void> {
    return this.admin.removeMemories(owner);
  }

  /** Erase a user's messages, files and sessions. */
  @ApiErrors('invalid_project_id', 'invalid_user_id', 'unknown_project')
  @Delete('messages')
  @AllowOperators({ project: 'query', action: 'user.erase' })
  eraseMessages(@Query() user: ErasedUser): Promise<Erased> {
    return this.admin.eraseUser(user.owner);
  }
}
