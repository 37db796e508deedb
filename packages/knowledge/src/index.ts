/** Documents: reading them, and finding the passages that answer a question. Without Nest and without a database. */
export type { Passage } from './passages/passages.js';
export { DocumentError } from './reading/document.error.js';
export { type ReadDocument } from './reading/document.js';
export { readDocument } from './reading/document.reader.js';
export { readBase } from './search/base.reader.js';
export { type FoundPassage, KnowledgeBase, type Meaning, type SourceDocument } from './search/knowledge.base.js';
export { PassageIndex, type IndexedPassage, type PassageMatch } from './search/passage.index.js';
export { continues, isQuotable, quoteOf, sentencesAbout } from './search/quotes.js';
