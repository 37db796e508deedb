import { Body, Controller, Get, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse } from '@nestjs/swagger';
import { ApiErrors, CurrentUser, type Owner } from 'avatar-chat-service';
import { INVALID_TEXT, NewSampleNotesItem, SampleNotesItem } from './sample-notes.dto.js';
import { SampleNotesService } from './sample-notes.service.js';

/** Every route needs a token, unless it is `@Public()`. */
@Controller('sample-notes')
export class SampleNotesController {
  constructor(private readonly service: SampleNotesService) {}

  @ApiCreatedResponse({ type: SampleNotesItem })
  @ApiErrors({ 400: [['invalid_text', INVALID_TEXT]], 409: [['too_many_sample_notes', 'There are too many.']] })
  @Post()
  add(@CurrentUser() owner: Owner, @Body() { text }: NewSampleNotesItem): Promise<SampleNotesItem> {
    return this.service.add(owner, text);
  }

  @ApiOkResponse({ type: [SampleNotesItem] })
  @Get()
  list(@CurrentUser() owner: Owner): Promise<SampleNotesItem[]> {
    return this.service.list(owner);
  }
}
