import { Injectable } from '@nestjs/common';
import { faultsAt } from 'avatar-chat-catalogue';
import type { KnowledgeBase, Meaning } from 'avatar-chat-knowledge';
import { type CatalogueService } from '../catalogue/index.js';
import { type OpenAiServer, reasonOf, OpenAiServers } from 'avatar-chat-models';
import { Clock } from '../platform/config/index.js';
import { loggerOf } from '../platform/logging/index.js';

/** Texts in one request. */
const BATCH = 64;
const MAX_DIMENSIONS = 8_192;
const LIMITS = { maxBytes: 32 * 1024 * 1024 };
/** Timeout of a request for passages, and for a question, in milliseconds. */
const PASSAGES_TIMEOUT_MS = 30_000;
const QUESTION_TIMEOUT_MS = 1_500;
/** Cool-down after a failure, in milliseconds: questions are then answered by full text alone. */
const COOL_DOWN_MS = 30_000;

/** Embeddings of texts, from a server with OpenAI's API. A server that fails leaves full-text search. */
@Injectable()
export class KnowledgeEmbeddings {
  private readonly logger = loggerOf(KnowledgeEmbeddings.name);
  private readonly openUntil = new Map<string, number>();
  private readonly reported = new Set<string>();

  constructor(
    private readonly servers: OpenAiServers,
    private readonly clock: Clock,
  ) {}

  /** Has the entries of projects checked. */
  checkEntries(catalogue: CatalogueService): void {
    catalogue.addCheck(({ projects }) =>
      projects.flatMap(({ embeddings }, index) =>
        embeddings ? faultsAt(`projects[${index}].embeddings`, this.servers.faultsOf(embeddings as never)) : [],
      ),
    );
  }

  /** What distinguishes embeddings that cannot be compared. */
  identify({ base_url, model }: OpenAiServer): string {
    return `${model} ${base_url}`;
  }

  /** @returns one unit vector for each text; undefined if the server fails, which is logged */
  async embedPassages(server: OpenAiServer, texts: readonly string[]): Promise<Float32Array[] | undefined> {
    const vectors: Float32Array[] = [];
    for (let at = 0; at < texts.length; at += BATCH) {
      const some = await this.embed(server, texts.slice(at, at + BATCH), PASSAGES_TIMEOUT_MS, 2);
      if (!some) return undefined;
      vectors.push(...some);
    }
    if (vectors.every(({ length }) => length === vectors[0]!.length)) return vectors;
    return this.failed('its embeddings differ in length');
  }

  /** As {@link embedPassages}, for a question; after a failure, not tried for a while. */
  async embedQuestion(server: OpenAiServer, question: string): Promise<Meaning | undefined> {
    const model = this.identify(server);
    if (this.clock.monotonic() < (this.openUntil.get(model) ?? -Infinity)) return undefined;
    const vectors = await this.embed(server, [question], QUESTION_TIMEOUT_MS, 0);
    if (!vectors) this.openUntil.set(model, this.clock.monotonic() + COOL_DOWN_MS);
    return vectors && { model, vector: vectors[0]! };
  }

  /** Logs once if a question cannot be compared with all documents of a project. */
  checkBase(project_id: string, base: KnowledgeBase | undefined, { model }: Meaning): void {
    const key = `${project_id} ${model}`;
    if (!base || base.hasMeanings(model) || this.reported.has(key)) return;
    this.reported.add(key);
    this.logger.warn(
      `Documents of the project ${project_id} have no embeddings of its present server and model: full-text search alone finds them until they are added again`,
    );
  }

  private async embed(server: OpenAiServer, input: string[], timeoutMs: number, maxRetries: number) {
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      const { data } = await this.servers.call(server, { ...LIMITS, maxRetries, signal }, (client, options) =>
        client.embeddings.create({ model: server.model, input, encoding_format: 'float' }, options),
      );
      if (data.length !== input.length) return this.failed('it returned another number of embeddings');
      return data.map(({ embedding }) => unitVector(embedding));
    } catch (error) {
      return this.failed(reasonOf(error));
    }
  }

  private failed(reason: string): undefined {
    this.logger.warn(`The server of embeddings failed, so that full-text search alone answers: ${reason}`);
    return undefined;
  }
}

/** @throws TypeError if it is none */
function unitVector(values: unknown): Float32Array {
  const isVector = Array.isArray(values) && values.length > 0 && values.length <= MAX_DIMENSIONS;
  if (!isVector || !values.every(Number.isFinite)) throw new TypeError('An embedding is not a list of numbers');
  const length = Math.hypot(...(values as number[])) || 1;
  return Float32Array.from(values as number[], (value) => value / length);
}
