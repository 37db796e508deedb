import { Controller, Delete, Get, HttpCode, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentUser, type Owner } from '../auth/index.js';
import { ApiErrors } from '../platform/openapi/index.js';
import { ExactQuery } from '../platform/validation/index.js';
import { MemoryList } from './memory.dto.js';
import { Memories } from './memory.service.js';

@ApiTags('Chat')
@Controller('memories')
export class MemoryController {
  constructor(private readonly memories: Memories) {}

  /** List what is remembered of the user. */
  @Get()
  async list(@CurrentUser() owner: Owner): Promise<MemoryList> {
    return { memories: await this.memories.list(owner) };
  }

  /** Forget one memory. */
  @ApiErrors('memory_not_found')
  @Delete(':memory_id')
  @HttpCode(204)
  remove(@CurrentUser() owner: Owner, @Param('memory_id') memory_id: string): Promise<void> {
    return this.memories.remove(owner, memory_id);
  }

  /** Forget everything that is remembered of the user. */
  @Delete()
  @HttpCode(204)
  async removeAll(@CurrentUser() owner: Owner, @Query() _: ExactQuery): Promise<void> {
    await this.memories.eraseUser(owner);
  }
}
