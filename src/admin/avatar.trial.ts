import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Speech } from 'avatar-chat-media';
import { untilAborted } from 'avatar-chat-runtime';
import { FairShare } from 'avatar-chat-runtime';
import { type Avatar, greetingIn } from 'avatar-chat-catalogue';
import { CatalogueService, chosenLanguage } from '../catalogue/index.js';
import { EngineBusyError, type EngineTurn, RETRACT } from 'avatar-chat-models';
import { EngineRegistry } from '../engines/index.js';
import { MAX_ANSWER } from '../messages/index.js';
import { failure } from '../platform/errors/index.js';
import { describeError, loggerOf } from '../platform/logging/index.js';
import { SpeechService } from '../speech/index.js';
import { catalogueText } from './catalogue.text.js';
import type { AvatarTrialRequest } from './trial.dto.js';

/** Trials at a time: the newest of the project with the most gives way. */
const MAX_TRIALS = 8;

/** How avatars answer and sound by entries that need not be applied. Stores and counts nothing. */
@Injectable()
export class AvatarTrial {
  private readonly logger = loggerOf(AvatarTrial.name);
  private readonly places = new FairShare(MAX_TRIALS);

  constructor(
    private readonly catalogue: CatalogueService,
    private readonly engines: EngineRegistry,
    private readonly speech: SpeechService,
  ) {}

  /** @throws ServiceError `project_not_found`, `invalid_catalogue`, `invalid_language_code`, `engine_failed`, `service_unavailable`, `answer_timeout` */
  answer(trial: AvatarTrialRequest, left: AbortSignal): Promise<string> {
    return this.runTrial(trial, left, (signal) => this.ask(trial, signal));
  }

  /**
   * @returns undefined if there is no voice, or it fails
   * @throws ServiceError `project_not_found`, `invalid_catalogue`, `invalid_language_code`, `service_unavailable`
   */
  speak(trial: AvatarTrialRequest, left: AbortSignal): Promise<Speech | undefined> {
    return this.runTrial(trial, left, async (ending) => {
      const { avatar, language_code, seconds, settings } = await this.read(trial);
      const signal = AbortSignal.any([ending, AbortSignal.timeout(seconds * 1000)]);
      const { voice = {} } = avatar;
      const holders = [`trial ${trial.project_id}`];
      return this.speech.speak(settings, { text: trial.request, language_code, voice, holders, signal });
    });
  }

  private async runTrial<T>(
    { project_id }: AvatarTrialRequest,
    left: AbortSignal,
    run: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const leaving = new AbortController();
    const release = this.places.acquire([project_id], () => leaving.abort());
    if (!release) throw failure('service_unavailable');
    try {
      return await run(AbortSignal.any([left, leaving.signal]));
    } finally {
      release();
    }
  }

  private async ask(trial: AvatarTrialRequest, left: AbortSignal): Promise<string> {
    const { request, history = [], project_id } = trial;
    const { avatar, language_code, seconds } = await this.read(trial);
    const late = AbortSignal.timeout(seconds * 1000);
    const turn: EngineTurn = {
      project_id,
      // Nobody's: tools and memories must not take it for a user or for a repetition.
      user_id: `trial-${randomBytes(12).toString('hex')}`,
      message_id: randomBytes(12).toString('hex'),
      chat_type: 'text',
      attempt: 1,
      avatar: { ...avatar, greetingText: greetingIn(avatar, language_code) },
      engine: avatar.engine,
      request,
      history,
      language_code,
      signal: AbortSignal.any([left, late]),
    };
    try {
      const answer = await untilAborted(this.answerOf(turn, avatar.care), turn.signal);
      if (answer) return answer.slice(0, MAX_ANSWER);
    } catch (error) {
      if (late.aborted) throw failure('answer_timeout');
      if (error instanceof EngineBusyError || left.aborted) throw failure('service_unavailable');
      this.logger.warn({ engine: avatar.engine.kind, ...describeError(error) });
    }
    throw failure('engine_failed');
  }

  private async read({ project_id, avatar, language_code }: AvatarTrialRequest) {
    const resolved = await this.catalogue.findResolvedProject(project_id);
    if (!resolved) throw failure('unknown_project');
    const faults = await this.catalogue.check(catalogueText({ avatars: [avatar] }));
    if (faults.length > 0) throw failure('invalid_catalogue');
    const {
      speech: settings,
      settings: { messageTimeoutSeconds: seconds },
    } = resolved.project;
    return { avatar: avatar as Avatar, language_code: chosenLanguage(resolved, language_code), seconds, settings };
  }

  private async answerOf(turn: EngineTurn, care?: boolean): Promise<string> {
    const careful = await this.engines.findCareReply(turn, care);
    if (careful !== undefined) return careful;
    let answer = '';
    for await (const piece of this.engines.engineFor(turn.engine.kind).reply(turn)) {
      answer = piece === RETRACT ? '' : answer + piece;
      if (answer.length > MAX_ANSWER) break;
    }
    return answer;
  }
}
