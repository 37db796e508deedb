import { Controller, Get, Header, Query } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { CurrentUser, type Owner } from '../auth/index.js';
import { ApiErrors } from '../http/index.js';
import { HISTORY_ERRORS } from './chat.errors.js';
import { HistoryPage, HistoryQuery } from './chat.dto.js';
import { ChatService } from './chat.service.js';

@Controller('chat')
export class ChatController {
  constructor(private readonly chat: ChatService) {}

  /** Read a page of the user's history, newest first. */
  @ApiErrors(HISTORY_ERRORS)
  @ApiOkResponse({ type: HistoryPage })
  @Header('Content-Type', 'application/json; charset=utf-8')
  @Get()
  page(@CurrentUser() owner: Owner, @Query() query: HistoryQuery): Promise<Buffer> {
    return this.chat.pageJson(owner, query.rangeFor(owner));
  }
}
