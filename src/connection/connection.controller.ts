import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { CurrentUser, type Owner } from '../auth/index.js';
import { ConnectionResponse } from './connection.dto.js';
import { ConnectionService } from './connection.service.js';

@Controller('connection')
export class ConnectionController {
  constructor(private readonly connection: ConnectionService) {}

  /** Open a session: avatars, languages and chat settings. */
  @ApiOkResponse({ type: ConnectionResponse })
  @Header('Content-Type', 'application/json; charset=utf-8')
  @Get()
  open(@CurrentUser() owner: Owner): Promise<string> {
    return this.connection.open(owner);
  }
}
