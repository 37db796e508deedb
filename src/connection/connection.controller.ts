import { Controller, Get } from '@nestjs/common';
import { CurrentUser, type Owner } from '../auth/index.js';
import { ConnectionResponse } from './connection.dto.js';
import { ConnectionService } from './connection.service.js';

@Controller('connection')
export class ConnectionController {
  constructor(private readonly connection: ConnectionService) {}

  /** Open a session: avatars, languages and chat settings. */
  @Get()
  open(@CurrentUser() owner: Owner): Promise<ConnectionResponse> {
    return this.connection.open(owner);
  }
}
