import { Controller, Get, Query } from '@nestjs/common';
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
  @Get()
  page(@CurrentUser() owner: Owner, @Query() query: HistoryQuery): Promise<HistoryPage> {
    return this.chat.page(owner, query.rangeFor(owner));
  }
}
