import type { Passage } from '../passages/passages.js';
import { type IndexedPassage, PassageIndex, type PassageMatch } from './passage.index.js';

/** A document as answers refer to it. */
export interface SourceDocument {
  readonly document_id: string;
  readonly title: string;
  readonly url?: string;
}

/** A passage that was found, with its document. The coverages are those of {@link PassageMatch}. */
export interface FoundPassage extends PassageMatch {
  readonly document: SourceDocument;
  /** Whether it was found by its meaning. */
  readonly isNear?: boolean;
}

type Match = Omit<FoundPassage, 'document'>;

/** The meaning of a text, and what distinguishes the model that says so: those of others cannot be compared. */
export interface Meaning {
  readonly model: string;
  readonly vector: Float32Array;
}

/** Both rankings are fused by the reciprocals of their ranks, plus this. */
const RANK_OFFSET = 60;
/** Passages of each ranking that are fused. */
const FUSED = 50;

/** A base in memory: its documents, the index of their passages and, if there are embeddings, these. */
export class KnowledgeBase {
  /** By version: the index and the embeddings name it as well, and may have some that are not shown yet. */
  private readonly documents = new Map<string, SourceDocument>();
  private readonly meanings = new Map<string, (Meaning & { passage: IndexedPassage })[]>();
  private readonly index = new PassageIndex();

  get isEmpty(): boolean {
    return this.index.size === 0;
  }

  /** Whether a version is shown. */
  has(version: string): boolean {
    return this.documents.has(version);
  }

  /** Whether all documents can be found by meanings of this model. */
  hasMeanings(model: string): boolean {
    return [...this.documents.keys()].every((version) => this.meanings.get(version)?.[0]?.model === model);
  }

  /** Shows a version whose passages are all there, in place of the former one of its document. */
  setDocument(version: string, document: SourceDocument): void {
    if (!this.has(version)) this.removeDocuments((document_id) => document_id === document.document_id);
    this.documents.set(version, document);
  }

  /** @param model of the embeddings */
  addPassages(version: string, passages: readonly Passage[], vectors?: readonly Float32Array[], model = ''): void {
    this.index.add(version, passages);
    if (!vectors) return;
    const all = this.meanings.get(version) ?? [];
    passages.forEach((one, at) => all.push({ passage: { document_id: version, ...one }, vector: vectors[at]!, model }));
    this.meanings.set(version, all);
  }

  removeDocuments(isOld: (document_id: string) => boolean): void {
    for (const [version, { document_id }] of this.documents) if (isOld(document_id)) this.removeVersion(version);
  }

  removeVersion(version: string): void {
    this.documents.delete(version);
    this.meanings.delete(version);
    this.index.remove(version);
  }

  /** The best passages, best first. @param meaning of the question, if it is known */
  search(question: string, limit: number, language?: string, meaning?: Meaning): FoundPassage[] {
    const matches = this.index.search(question, { limit: meaning ? FUSED : limit, language, among: this.documents });
    const found: readonly Match[] = meaning ? this.fuse(matches, this.nearest(meaning)).slice(0, limit) : matches;
    return found.map((match) => ({ ...match, document: this.documents.get(match.passage.document_id)! }));
  }

  private fuse(matches: readonly PassageMatch[], nearest: readonly IndexedPassage[]): Match[] {
    const fused = new Map<string, Match>();
    const add = (match: Match, rank: number) => {
      const key = `${match.passage.document_id} ${match.passage.heading} ${match.passage.text}`;
      const known = fused.get(key);
      fused.set(key, { ...match, ...known, score: (known?.score ?? 0) + 1 / (RANK_OFFSET + rank) });
    };
    matches.forEach(add);
    nearest.forEach((passage, rank) =>
      add({ passage, score: 0, coverage: 0, headingCoverage: 0, matched: 0, isNear: true }, rank),
    );
    return [...fused.values()].sort((a, b) => b.score - a.score);
  }

  private nearest({ model, vector }: Meaning): IndexedPassage[] {
    const all: { passage: IndexedPassage; similarity: number }[] = [];
    for (const version of this.documents.keys())
      for (const entry of this.meanings.get(version) ?? [])
        if (entry.model === model && entry.vector.length === vector.length)
          all.push({ passage: entry.passage, similarity: dot(entry.vector, vector) });
    all.sort((a, b) => b.similarity - a.similarity);
    return all.slice(0, FUSED).map(({ passage }) => passage);
  }
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += a[at]! * b[at]!;
  return sum;
}
