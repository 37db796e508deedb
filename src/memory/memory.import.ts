import { isDeepStrictEqual } from 'node:util';
import { Owner } from '../auth/index.js';
import { type ErasureFence, ErasureFences, isGone } from '../erasure/index.js';
import type { ExportedMemory } from './memory.dto.js';
import type { MemoryRepository } from './memory.repository.js';
import type { MemoryDocument } from './memory.schema.js';

/** What becomes of an imported memory; `other`: its identifier is another's, `old`: its user has enough newer ones. */
export type MemoryOutcome = 'new' | 'stored' | 'other' | 'old' | 'erased';

/** An import of exported memories, of any users. Without a fence, it only says what would become of them. */
export class MemoryImport {
  private readonly seen = new Map<string, MemoryDocument>();

  constructor(
    private readonly repository: MemoryRepository,
    private readonly fences: ErasureFences,
    private readonly fence?: ErasureFence,
  ) {}

  async add(exported: ExportedMemory): Promise<MemoryOutcome> {
    const { memory_id: _id, ...rest } = exported;
    const [memory, owner] = [{ _id, ...rest }, new Owner(rest.project_id, rest.user_id)];
    const known = this.seen.get(_id) ?? (await this.repository.find(_id));
    if (known) return isDeepStrictEqual(known, memory) ? 'stored' : 'other';
    if (this.fence !== undefined) {
      // Otherwise another process has just added it.
      if (!(await this.repository.addMissing({ ...memory, begun: this.fence }))) return this.add(exported);
      try {
        await this.fences.assertNotErased(owner, this.fence);
      } catch (error) {
        await this.repository.remove(owner, [_id]);
        if (!isGone(error)) throw error;
        return 'erased';
      }
    }
    this.seen.set(_id, memory);
    if (this.fence === undefined) return 'new';
    return (await this.repository.removeOldest(owner)).includes(_id) ? 'old' : 'new';
  }
}
