import { Readable } from 'node:stream';
import { Controller, Get, Header, Param, Query, Req, Res, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../auth/index.js';
import { ApiErrors } from '../platform/openapi/index.js';
import { ResponseMemory } from '../platform/limits/index.js';
import { failure } from '../platform/errors/index.js';
import { trackedAddress } from '../rate-limits/index.js';
import { fileResponse, OCTET_STREAM, SAFE_HEADERS, typeFor } from './file.response.js';
import { SpeechDetails } from './file.dto.js';
import { FileService } from './file.service.js';
import type { StoredFile } from './file-store.js';
import { FileUrls } from './file.urls.js';
import { FileRenditions } from './file.rendition.js';
import { streamedTo } from 'avatar-chat-runtime';

/** Memory of a download: the piece that is read and the one that waits for the client. */
const SENT_FILE_BYTES = 512 * 1024;

/** The query of a signed URL: untrusted until it has been verified. */
type Signature = Record<string, unknown>;

const BINARY = { type: 'string', format: 'binary' };
const recording = { 'audio/*': { schema: BINARY }, 'video/*': { schema: BINARY }, [OCTET_STREAM]: { schema: BINARY } };

@Public()
@ApiTags('Files')
@Controller('files')
@ApiQuery({ name: 'expires', type: 'string', description: 'As in the signed URL.' })
@ApiQuery({ name: 'signature', type: 'string', description: 'As in the signed URL.' })
export class FileController {
  constructor(
    private readonly files: FileService,
    private readonly urls: FileUrls,
    private readonly held: ResponseMemory,
    private readonly renditions: FileRenditions,
  ) {}

  /** Read a file, or a range of it, by the signed URL of a message: with its media type, or as plain bytes. */
  @ApiOkResponse({ description: 'The file.', content: recording })
  @ApiResponse({ status: 206, description: 'The requested range.', content: recording })
  @ApiResponse({ status: 304, description: 'The client already has the file.' })
  @ApiErrors('file_not_found', 'range_not_satisfiable', 'rate_limited', 'service_unavailable')
  @Get(':file_id')
  async read(
    @Param('file_id') file_id: string,
    @Query() query: Signature,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile | undefined> {
    const file = await this.find(file_id, query);
    const answer = await this.renditions.answer(file, request);
    if (answer?.kind === 'stored') return this.send(answer.file, request, reply);
    if (answer?.kind === 'original') return this.send(file, request, reply, { 'Cache-Control': 'no-store' });
    if (!answer) return this.send(file, request, reply);
    const { content_type, content } = answer;
    void reply.headers({ ...SAFE_HEADERS, 'Cache-Control': 'no-store', ...typeFor(request.headers, content_type) });
    if (!content) return new StreamableFile(Readable.from([]));
    this.hold(file_id, SENT_FILE_BYTES, request, reply);
    return new StreamableFile(streamedTo(reply.raw, content));
  }

  /** Read the sound of a video answer. Any other file is returned unchanged. */
  @ApiOkResponse({ description: 'The sound.', content: recording })
  @ApiResponse({ status: 206, description: 'The requested range.', content: recording })
  @ApiResponse({ status: 304, description: 'The client already has the sound.' })
  @ApiErrors('file_not_found', 'range_not_satisfiable', 'rate_limited', 'service_unavailable')
  @Get(':file_id/sound')
  async readSound(
    @Param('file_id') file_id: string,
    @Query() query: Signature,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile | undefined> {
    return this.send(await this.find(file_id, query), request, reply);
  }

  /** Read the length of a spoken answer and the timing of its phonemes. */
  @ApiOkResponse({ type: SpeechDetails })
  @ApiErrors('file_not_found', 'rate_limited', 'service_unavailable')
  @Header('Content-Type', 'application/json; charset=utf-8')
  @Get(':file_id/details')
  async readDetails(
    @Param('file_id') file_id: string,
    @Query() query: Signature,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    if (!this.urls.verify(file_id, query)) throw failure('file_not_found');
    const details = await this.files.details(file_id);
    if (details === undefined) throw failure('file_not_found');
    const body = Buffer.from(JSON.stringify(details));
    this.hold(file_id, body.length, request, reply);
    void reply.header('Cache-Control', 'private, max-age=3600, immutable');
    return body;
  }

  /** A signed URL has no token, so the file stands for its user. */
  private hold(file_id: string, bytes: number, { ip }: FastifyRequest, { raw }: FastifyReply): void {
    this.held.hold([`file ${file_id}`, trackedAddress(ip)], bytes, raw);
  }

  private async find(file_id: string, query: Signature): Promise<StoredFile> {
    const file = this.urls.verify(file_id, query) ? await this.files.find(file_id) : undefined;
    if (!file) throw failure('file_not_found');
    return file;
  }

  private async send(
    file: StoredFile,
    request: FastifyRequest,
    reply: FastifyReply,
    others: Record<string, string> = {},
  ): Promise<StreamableFile | undefined> {
    const { file_id } = file;
    const { status, headers, range } = fileResponse(file, request);
    if (range) this.hold(file_id, Math.min(range.end - range.start, SENT_FILE_BYTES), request, reply);
    const content = range ? await this.files.open(file_id, range) : Readable.from([]);
    if (!content) throw failure('file_not_found');
    void reply.status(status).headers({ ...headers, ...others });
    return status === 304 ? undefined : new StreamableFile(content);
  }
}
