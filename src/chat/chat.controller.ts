import { Controller, Get, Header, Query, Req, Res, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentUser, type Owner, ownerKey } from '../auth/index.js';
import { ApiErrors } from '../platform/openapi/index.js';
import { ResponseMemory } from '../platform/limits/index.js';
import { trackedAddress } from '../rate-limits/index.js';
import { HistoryPage, HistoryQuery, MAX_PAGE, MAX_PER_PAGE } from './chat.dto.js';
import { HistoryPages, STREAMED_PAGE_BYTES } from './history/history.pages.js';

/** Pages up to this size are no larger than other responses, whose bytes are not accounted for either. */
const SMALL_PAGE_BYTES = 16 * 1024;

@ApiTags('Chat')
@Controller('chat')
export class ChatController {
  constructor(
    private readonly pages: HistoryPages,
    private readonly held: ResponseMemory,
  ) {}

  /** Read a page of the user's history, newest first. */
  @ApiErrors(
    'invalid_user_id',
    ['invalid_page', MAX_PAGE],
    ['invalid_per_page', MAX_PER_PAGE],
    'invalid_before',
    'user_not_found',
  )
  @ApiOkResponse({ type: HistoryPage })
  @Header('Content-Type', 'application/json; charset=utf-8')
  @Get()
  async page(
    @CurrentUser() owner: Owner,
    @Query() query: HistoryQuery,
    @Req() { ip }: FastifyRequest,
    @Res({ passthrough: true }) { raw }: FastifyReply,
  ): Promise<Buffer | StreamableFile> {
    const page = await this.pages.open(owner, query.rangeFor(owner));
    const isWhole = Buffer.isBuffer(page);
    const bytes = isWhole ? page.length : STREAMED_PAGE_BYTES;
    if (bytes > SMALL_PAGE_BYTES) this.held.hold([ownerKey(owner), trackedAddress(ip)], bytes, raw);
    return isWhole ? page : new StreamableFile(page);
  }
}
