export { MemoryList } from './memory.dto.js';
export { MemoryModule } from './memory.module.js';
export { type ExportedMemory, Memories, type Memory } from './memory.service.js';
