export { type ExportedMemory, type Memory, MemoryList } from './memory.dto.js';
export type { MemoryImport, MemoryOutcome } from './memory.import.js';
export { MemoryModule } from './memory.module.js';
export { Memories } from './memory.service.js';
