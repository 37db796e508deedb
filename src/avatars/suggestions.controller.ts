import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CurrentUser, type Owner } from '../auth/index.js';
import { suggestionsIn } from 'avatar-chat-catalogue';
import { CatalogueService, chosenAvatar, chosenLanguage } from '../catalogue/index.js';
import { EngineRegistry } from '../engines/index.js';
import { ApiErrors } from '../platform/openapi/index.js';
import { Suggestions, SuggestionsQuery } from './suggestions.dto.js';

@ApiTags('Chat')
@Controller('suggestions')
export class SuggestionsController {
  constructor(
    private readonly catalogue: CatalogueService,
    private readonly engines: EngineRegistry,
  ) {}

  /** List first questions to offer to a user. */
  @ApiErrors('invalid_avatar_id', 'invalid_language_code', 'avatar_not_found')
  @ApiOkResponse({ type: Suggestions })
  @Get()
  async find(@CurrentUser() { project_id }: Owner, @Query() query: SuggestionsQuery): Promise<Suggestions> {
    const resolved = await this.catalogue.resolvedProject(project_id);
    const avatar = chosenAvatar(resolved, query.avatar_id);
    const language_code = chosenLanguage(resolved, query.language_code);
    // Whoever is offered questions will probably ask one soon.
    void this.engines.prepare(avatar.engine, language_code);
    return { suggestions: suggestionsIn(avatar, language_code) };
  }
}
