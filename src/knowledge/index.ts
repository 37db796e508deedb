export { KnowledgeHttpModule, KnowledgeModule } from './knowledge.module.js';
export { MAX_DOCUMENT_BYTES } from './knowledge.rules.js';
export { KnowledgeService } from './knowledge.service.js';
