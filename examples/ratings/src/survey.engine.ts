import { Injectable } from '@nestjs/common';
import { AvatarEngine, type EngineEntry, type EngineTurn } from 'avatar-chat-service';

/** Answers for an avatar that asks how the others did: `{ "kind": "survey", "question": "…", "thanks": "…" }`. */
@Injectable()
export class SurveyEngine extends AvatarEngine {
  readonly kind = 'survey';

  validate(entry: EngineEntry): string[] {
    return ['question', 'thanks'].flatMap((field) => {
      const value = entry[field];
      return typeof value === 'string' && value !== '' ? [] : [`${field}: must be a text`];
    });
  }

  async *reply({ engine, request, signal }: EngineTurn): AsyncGenerator<string> {
    const answer = /\b[1-5]\b/.test(request) ? String(engine.thanks) : String(engine.question);
    for (const word of answer.split(/(?= )/)) {
      if (signal.aborted) return;
      yield word;
    }
  }
}
