import { Controller, Get, Header, Headers, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiHeader, ApiOkResponse } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CurrentUser, type Owner } from '../auth/index.js';
import { BRIEF } from '../platform/http/index.js';
import { ConnectionResponse } from './connection.dto.js';
import { ConnectionService } from './connection.service.js';

@Controller('connection')
export class ConnectionController {
  constructor(private readonly connection: ConnectionService) {}

  /** Open a session: avatars, languages and chat settings. */
  @ApiHeader({
    name: 'Accept-Language',
    description: "The language of the greetings, one of the project's languages. Default: the first.",
    required: false,
  })
  @ApiOkResponse({
    type: ConnectionResponse,
    headers: { 'Content-Language': { description: 'The language of the greetings.', schema: { type: 'string' } } },
  })
  @Header('Content-Type', 'application/json; charset=utf-8')
  @RouteConfig(BRIEF)
  @Get()
  async open(
    @CurrentUser() owner: Owner,
    @Headers('accept-language') header: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const { body, language_code } = await this.connection.open(owner, header);
    const vary = reply.getHeader('vary');
    void reply.header('Vary', vary === undefined ? 'Accept-Language' : `${String(vary)}, Accept-Language`);
    if (language_code !== undefined) void reply.header('Content-Language', language_code);
    return body;
  }
}
