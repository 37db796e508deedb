export { MAX_MEMORY } from './memory.facts.js';
export { MemoryList } from './memory.dto.js';
export { MemoryModule } from './memory.module.js';
export { type ExportedMemory, Memories, type Memory } from './memory.service.js';
