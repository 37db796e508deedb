import type { IndexedPassage, Passage, PassageIndex, PassageMatch } from 'avatar-chat-knowledge';

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

/** Both rankings are fused by the reciprocals of their ranks, plus this. */
const RANK_OFFSET = 60;
/** Passages of each ranking that are fused. */
const FUSED = 50;

/** A base in memory: its documents, the index of their passages and, if there are embeddings, these. */
export class KnowledgeBase {
  private readonly documents = new Map<string, SourceDocument & { readonly version: string }>();
  private readonly vectors = new Map<string, { passage: IndexedPassage; vector: Float32Array }[]>();

  constructor(private readonly index: PassageIndex) {}

  get isEmpty(): boolean {
    return this.index.size === 0;
  }

  /** The versions of its documents, by their identifiers. */
  get versions(): ReadonlyMap<string, string> {
    return new Map([...this.documents].map(([id, { version }]) => [id, version]));
  }

  /** Names a document, so that its passages are found. */
  setDocument(version: string, document: SourceDocument): void {
    this.documents.set(document.document_id, { ...document, version });
  }

  addPassages(document_id: string, passages: readonly Passage[], vectors?: readonly Float32Array[]): void {
    this.index.add(document_id, passages);
    if (!vectors) return;
    const all = this.vectors.get(document_id) ?? [];
    passages.forEach((passage, at) => all.push({ passage: { document_id, ...passage }, vector: vectors[at]! }));
    this.vectors.set(document_id, all);
  }

  removeDocument(document_id: string): void {
    this.documents.delete(document_id);
    this.vectors.delete(document_id);
    this.index.remove(document_id);
  }

  /** The best passages, best first. @param vector the embedding of the question, if there is one */
  search(question: string, limit: number, language?: string, vector?: Float32Array): FoundPassage[] {
    const matches = this.index.search(question, { limit: vector ? FUSED : limit, language });
    const found: readonly Match[] = vector ? this.fuse(matches, this.nearest(vector)).slice(0, limit) : matches;
    return found.flatMap((match) => {
      const document = this.documents.get(match.passage.document_id);
      if (!document) return [];
      const { version: _, ...shown } = document;
      return [{ ...match, document: shown }];
    });
  }

  private fuse(matches: readonly PassageMatch[], nearest: readonly IndexedPassage[]): Match[] {
    const fused = new Map<string, Match>();
    const add = (match: Match, rank: number) => {
      const key = `${match.passage.document_id} ${match.passage.heading} ${match.passage.text}`;
      const known = fused.get(key);
      fused.set(key, {
        ...match,
        ...known,
        ...(match.isNear ? { isNear: true } : {}),
        score: (known?.score ?? 0) + 1 / (RANK_OFFSET + rank),
      });
    };
    matches.forEach(add);
    nearest.forEach((passage, rank) =>
      add({ passage, score: 0, coverage: 0, headingCoverage: 0, matched: 0, isNear: true }, rank),
    );
    return [...fused.values()].sort((a, b) => b.score - a.score);
  }

  private nearest(vector: Float32Array): IndexedPassage[] {
    const all: { passage: IndexedPassage; similarity: number }[] = [];
    for (const entries of this.vectors.values())
      for (const entry of entries)
        if (entry.vector.length === vector.length)
          all.push({ passage: entry.passage, similarity: dot(entry.vector, vector) });
    return all
      .sort((a, b) => b.similarity - a.similarity)
      .slice(0, FUSED)
      .map(({ passage }) => passage);
  }
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += a[at]! * b[at]!;
  return sum;
}
