import { createHash, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Passage } from 'avatar-chat-knowledge';
import { Owner } from '../auth/index.js';
import { type Project } from 'avatar-chat-catalogue';
import { CatalogueService } from '../catalogue/index.js';
import { ErasableData, ErasureFences } from '../erasure/index.js';
import { Clock, Config } from '../platform/config/index.js';
import { failure } from '../platform/errors/index.js';
import { KnowledgeBases } from './knowledge.bases.js';
import type { KnowledgeDocumentDetails, KnowledgePassageDetails } from './knowledge.dto.js';
import { KnowledgeEmbeddings } from './knowledge.embeddings.js';
import { assertDocument, assertBase, DOCUMENT_ID, type Upload } from './knowledge.rules.js';
import { type BaseName, type Content, KnowledgeRepository } from './knowledge.repository.js';
import type { KnowledgeDocument } from './knowledge.schema.js';
import { ReadingQueue } from './reading.queue.js';

const [MAX_DOCUMENTS, MAX_PASSAGES] = [1_000, 100_000];
/** Another when documents are read otherwise: the same bytes, added again, are then read again. */
const READING = 'with titles';
/** What a passage takes in an index, by measurement: bytes for itself, and for each of its characters. */
const [PASSAGE_BYTES, CHARACTER_BYTES] = [600, 5];

type Size = Pick<KnowledgeDocument, 'passages' | 'memory'>;

/** The knowledge bases of projects, for operators. */
@Injectable()
export class KnowledgeService extends ErasableData {
  readonly name = 'knowledge';
  private readonly queue = new ReadingQueue();

  constructor(
    private readonly repository: KnowledgeRepository,
    private readonly bases: KnowledgeBases,
    private readonly embeddings: KnowledgeEmbeddings,
    private readonly catalogue: CatalogueService,
    private readonly fences: ErasureFences,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {
    super();
    embeddings.checkEntries(catalogue);
  }

  /**
   * Adds a document, or replaces the one with the same title.
   *
   * @returns `added: false` if the same bytes are stored under this title already
   * @throws ServiceError `invalid_request`, `invalid_document`, `knowledge_full`, `payload_too_large`, `project_not_found`
   */
  async add(name: BaseName, upload: Upload): Promise<{ document: KnowledgeDocumentDetails; added: boolean }> {
    const { bytes, title, url: given } = assertDocument(name.base, upload);
    const project = await this.projectOf(name.project_id);
    const fence = await this.fences.currentFence();
    const digest = createHash('sha256').update(READING).update(bytes).digest('hex');
    const embedded = project.embeddings && this.embeddings.identify(project.embeddings);
    const stored = await this.repository.findByTitle(name, title);
    if (stored?.digest === digest && stored.embedded === embedded) return this.unchanged(name, stored, given);
    const url = given ?? (stored?.digest === digest ? stored.url : undefined);
    const { passages } = await this.queue.read(name.project_id, bytes, upload.name);
    const vectors =
      project.embeddings && (await this.embeddings.embedPassages(project.embeddings, passages.map(wholeText)));
    const content: Content = { passages, ...(vectors ? { vectors } : {}) };
    const memory = memoryOf(content);
    await this.assertRoom(name, { passages: passages.length, memory }, stored);
    const version = randomUUID();
    const document: KnowledgeDocument = {
      _id: randomUUID(),
      ...name,
      title,
      ...(url === undefined ? {} : { url }),
      bytes: bytes.length,
      passages: passages.length,
      memory,
      digest,
      version,
      updated: this.clock.now(),
      ...(vectors && embedded !== undefined ? { embedded } : {}),
    };
    await this.repository.insertPassages(name, version, content, this.clock.now());
    const former = await this.repository.put(document);
    if (former === 'same') {
      await this.repository.removePassages(name, version);
      return this.unchanged(name, (await this.repository.findByTitle(name, title)) ?? document, url);
    }
    if (former) await this.repository.removePassages(name, former.version);
    const _id = former?._id ?? document._id;
    await this.assertNotErased(name, _id, fence);
    this.bases.markChanged(name);
    await this.repository.removeAbandoned(name, this.clock.now());
    return { document: shownOf({ ...document, _id }), added: former?.digest !== digest };
  }

  /** @throws ServiceError `project_not_found`, `invalid_request` */
  async list(name: BaseName): Promise<KnowledgeDocumentDetails[]> {
    await this.projectOf(name.project_id, name.base);
    return (await this.repository.list(name)).map(shownOf);
  }

  /** The names of a project's bases. @throws ServiceError `project_not_found` */
  async listBases(project_id: string): Promise<string[]> {
    await this.projectOf(project_id);
    return this.repository.bases(project_id);
  }

  /** @throws ServiceError `document_not_found`, `project_not_found`, `invalid_request` */
  async remove(name: BaseName, document_id: string): Promise<void> {
    await this.projectOf(name.project_id, name.base);
    const removed = DOCUMENT_ID.test(document_id) ? await this.repository.remove(name, document_id) : null;
    if (!removed) throw failure('document_not_found');
    this.bases.markChanged(name);
  }

  /** The passages that fit a question best, best first. @throws ServiceError `project_not_found`, `invalid_request` */
  async search(name: BaseName, question: string, limit: number): Promise<KnowledgePassageDetails[]> {
    const { embeddings } = await this.projectOf(name.project_id, name.base);
    const base = await this.bases.open(name);
    const meaning = embeddings && !base.isEmpty ? await this.embeddings.embedQuestion(embeddings, question) : undefined;
    if (meaning) this.embeddings.checkBase(name.project_id, base, meaning);
    return base.search(question, limit, undefined, meaning).map(({ document, passage, score }) => ({
      ...document,
      text: wholeText(passage),
      score: Number(score.toFixed(4)),
    }));
  }

  override async eraseProject(project_id: string, isRemoved: boolean): Promise<number> {
    return isRemoved ? this.repository.eraseProject(project_id) : 0;
  }

  private async projectOf(project_id: string, base?: string): Promise<Project> {
    if (base !== undefined) assertBase(base);
    const project = await this.catalogue.findProject(project_id);
    if (!project) throw failure('unknown_project');
    return project;
  }

  private async unchanged(name: BaseName, stored: KnowledgeDocument, url?: string) {
    if (url !== undefined && url !== stored.url) {
      await this.repository.setUrl(name, stored._id, url);
      this.bases.markChanged(name);
    }
    return { document: shownOf({ ...stored, ...(url === undefined ? {} : { url }) }), added: false };
  }

  private async assertRoom(name: BaseName, more: Size, former: KnowledgeDocument | null): Promise<void> {
    const others = (await this.repository.list(name)).filter(({ _id }) => _id !== former?._id);
    const passages = others.reduce((sum, one) => sum + one.passages, more.passages);
    const memory = others.reduce((sum, one) => sum + one.memory, more.memory);
    if (others.length >= MAX_DOCUMENTS) throw failure('knowledge_full', `has ${MAX_DOCUMENTS} documents`);
    if (passages > MAX_PASSAGES) throw failure('knowledge_full', `would have more than ${MAX_PASSAGES} passages`);
    if (memory > this.config.knowledgeMemoryMb * 1024 * 1024)
      throw failure('knowledge_full', 'would take more memory than KNOWLEDGE_MEMORY_MB allows');
  }

  /** Either the removal of a project comes after the document and removes it, or the document is removed here. */
  private async assertNotErased(name: BaseName, document_id: string, fence: number): Promise<void> {
    const owner = new Owner(name.project_id, 'nobody');
    const isGone =
      !(await this.fences.hasProject(name.project_id)) || (await this.fences.erasedOf([owner], fence)).size > 0;
    if (!isGone) return;
    await this.repository.remove(name, document_id);
    throw failure('unknown_project');
  }
}

/** The text of a passage with its heading. */
export function wholeText({ heading, text }: Passage): string {
  return heading ? `${heading}\n${text}` : text;
}

function memoryOf({ passages, vectors = [] }: Content): number {
  const lengthOf = ({ heading, title = '', text }: Passage) => heading.length + title.length + text.length;
  const characters = passages.reduce((sum, passage) => sum + lengthOf(passage), 0);
  const vectorBytes = vectors.reduce((sum, { byteLength }) => sum + byteLength, 0);
  return passages.length * PASSAGE_BYTES + characters * CHARACTER_BYTES + vectorBytes;
}

function shownOf({ _id, title, url, bytes, passages, updated }: KnowledgeDocument): KnowledgeDocumentDetails {
  return { document_id: _id, title, ...(url === undefined ? {} : { url }), bytes, passages, updated };
}
