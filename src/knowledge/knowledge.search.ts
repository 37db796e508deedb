import { Injectable } from '@nestjs/common';
import { unlessAborted } from 'avatar-chat-runtime';
import { CatalogueService } from '../catalogue/index.js';
import type { FoundPassage } from 'avatar-chat-knowledge';
import type { PromptedTurn } from 'avatar-chat-models';
import { describeError, loggerOf } from '../platform/logging/index.js';
import { KnowledgeBases } from './knowledge.bases.js';
import { KnowledgeEmbeddings } from './knowledge.embeddings.js';

const MAX_QUESTION = 1_000;
/** A base that is not in memory after this time does not delay the answer any longer, in milliseconds. */
const TIMEOUT_MS = 1_800;

type Asked = Pick<PromptedTurn, 'project_id' | 'avatar' | 'language_code'>;

/** Searches the bases of an avatar in a turn. */
@Injectable()
export class KnowledgeSearch {
  private readonly logger = loggerOf(KnowledgeSearch.name);

  constructor(
    private readonly catalogue: CatalogueService,
    private readonly bases: KnowledgeBases,
    private readonly embeddings: KnowledgeEmbeddings,
  ) {}

  /** The passages that fit a question best, best first; of the project of the turn, never of another; not the shipped ones if it `isOwn`. */
  async find(turn: Asked, question: string, limit: number, isOwn = false): Promise<FoundPassage[]> {
    const { project_id, avatar, language_code } = turn;
    const resolved = await this.catalogue.findResolvedProject(project_id);
    const names = resolved?.avatars.find(({ _id }) => _id === avatar._id)?.knowledge ?? [];
    if (names.length === 0) return [];
    const asked = question.slice(0, MAX_QUESTION).toWellFormed();
    const [language] = language_code.toLowerCase().split('-');
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const own = names.map((base) => this.bases.openSoon({ project_id, base }, timeout));
    const shipped = isOwn ? [] : names.map((base) => unlessAborted(this.bases.openShipped(base), timeout));
    const { embeddings } = resolved!.project;
    // At the same time, so that both together do not take longer than a prompt waits.
    const embedding = embeddings && this.embeddings.embedQuestion(embeddings, asked);
    // One that cannot be read takes no other's passages away.
    const opened = await Promise.all(
      [...own, ...shipped].map((base) => base.catch((error: unknown) => this.logger.warn(describeError(error)))),
    );
    const meaning = await embedding;
    if (meaning)
      for (const base of opened.slice(0, own.length)) this.embeddings.checkBase(project_id, base ?? undefined, meaning);
    const found = opened.flatMap((base) => base?.search(asked, limit, language, meaning) ?? []);
    return found.sort((a, b) => b.score - a.score).slice(0, limit);
  }
}
