import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model } from 'mongoose';
import type { Owner } from '../auth/index.js';
import { Database } from '../platform/database/index.js';
import { MessageDocument } from './message.schema.js';

/**
 * Number of latest questions that are evaluated, maximum length of each in characters, and number of groups that are
 * listed.
 */
const MAX_READ = 5000;
const MAX_CHARACTERS = 200;
const MAX_LISTED = 50;

/** Questions in about the same words to which an avatar had no answer. */
export interface FrequentQuestion {
  readonly avatar_id: string;
  readonly language_code: string;
  /** The latest wording, up to 200 characters. */
  readonly question: string;
  readonly times: number;
}

type Asked = Pick<MessageDocument, 'avatar_id' | 'language_code' | 'request'>;

/**
 * Questions that avatars could not answer. They are marks on the users' own messages, so retention and erasures remove
 * them, but not documents that operators made from them.
 */
@Injectable()
export class MessageQuestions {
  constructor(
    private readonly database: Database,
    @InjectModel(MessageDocument.name) private readonly messages: Model<MessageDocument>,
  ) {}

  async mark({ project_id, user_id }: Owner, _id: string): Promise<void> {
    await this.database.run(() =>
      this.messages.updateOne({ _id, project_id, user_id }, { $set: { unanswered: true } }),
    );
  }

  /**
   * The most frequent ones of a project, at most 50, most frequent first. Fails like an unavailable database if it
   * takes longer than `timeout`, in milliseconds.
   *
   * @param since Unix time in milliseconds
   */
  async frequent(project_id: string, since: number, timeout: number): Promise<FrequentQuestion[]> {
    const asked = await this.messages
      .aggregate<Asked>([
        { $match: { project_id, date: { $gte: since }, unanswered: true } },
        { $sort: { date: -1 } },
        { $limit: MAX_READ },
        {
          $project: {
            _id: 0,
            avatar_id: 1,
            language_code: 1,
            request: { $substrCP: ['$request', 0, MAX_CHARACTERS] },
          },
        },
      ])
      .option({ maxTimeMS: timeout });
    const questions = new Map<string, { -readonly [name in keyof FrequentQuestion]: FrequentQuestion[name] }>();
    for (const { avatar_id, language_code, request } of asked) {
      const key = JSON.stringify([avatar_id, language_code, plain(request)]);
      const known = questions.get(key);
      if (known) known.times++;
      else questions.set(key, { avatar_id, language_code, question: request, times: 1 });
    }
    return [...questions.values()].sort((a, b) => b.times - a.times).slice(0, MAX_LISTED);
  }
}

/** Normalizes questions that only differ in case, accents, punctuation and white space. Numbers and amounts differ. */
function plain(question: string): string {
  return (
    question
      .normalize('NFKD')
      .toLowerCase()
      // Accents are inherited by any script; the vowel signs of one script are part of its words.
      .replace(/\p{Script=Inherited}|(?!(?<=\p{N}).\p{N}|(?<=^|\s)-\p{N})[^\p{L}\p{N}\p{M}\p{Sc}\p{Sm}%#\s]/gu, '')
      .replace(/\s+/g, ' ')
      .trim()
  );
}
