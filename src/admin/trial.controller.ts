import { Body, Controller, HttpCode, Post, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { MAX_REQUEST } from 'avatar-chat-models';
import { leavingOf } from '../platform/http/index.js';
import { ApiErrors } from '../platform/openapi/index.js';
import { AvatarTrial } from './avatar.trial.js';
import { ForOperators } from './for-operators.js';
import { AllowOperators } from './operator.access.js';
import { AvatarTrialRequest, TRIAL_RULE, type TrialAnswer } from './trial.dto.js';

const BODY_LIMIT = 1024 * 1024;
const SOUND = { type: 'string', format: 'binary' } as const;
const ERRORS = [
  'invalid_project_id',
  ['invalid_input', TRIAL_RULE],
  ['invalid_request', MAX_REQUEST],
  'invalid_language_code',
  'invalid_json',
  'unknown_project',
  'payload_too_large',
  'unsupported_media_type',
  'invalid_catalogue',
] as const;

@ApiTags('Administration')
@Controller('admin/avatars')
@ForOperators()
export class TrialController {
  constructor(private readonly trial: AvatarTrial) {}

  /** Ask an avatar as an entry of the catalogue describes it, which need not be applied. Nothing is stored or counted. */
  @Post('try')
  @HttpCode(200)
  @ApiErrors(...ERRORS, 'engine_failed', 'answer_timeout')
  @RouteConfig({ bodyLimit: BODY_LIMIT })
  @AllowOperators({ allProjects: true })
  async ask(
    @Body() trial: AvatarTrialRequest,
    @Res({ passthrough: true }) { raw }: FastifyReply,
  ): Promise<TrialAnswer> {
    return { answer: await this.trial.answer(trial, leavingOf(raw).signal) };
  }

  /** Speak a text in the voice of an entry of the catalogue, as MP3; 204 if there is none for the language, or it fails. */
  @Post('speak')
  @HttpCode(200)
  // Generated clients read the second type only.
  @ApiOkResponse({ content: { 'audio/mpeg': { schema: SOUND }, 'application/octet-stream': { schema: SOUND } } })
  @ApiNoContentResponse({ description: 'There is no voice for the language, or it failed, as the log says.' })
  @ApiErrors(...ERRORS)
  @RouteConfig({ bodyLimit: BODY_LIMIT })
  @AllowOperators({ allProjects: true })
  async speak(@Body() trial: AvatarTrialRequest, @Res() reply: FastifyReply): Promise<void> {
    const speech = await this.trial.speak(trial, leavingOf(reply.raw).signal);
    if (!speech) await reply.status(204).send();
    else await reply.type(speech.content_type).send(Buffer.from(speech.audio));
  }
}
