import type { Owner } from '../auth/index.js';

/** A lasting fact that the user said of themselves. */
export class MemoryDetails {
  /** @example "6740a1f0c2d3e4f5a6b7c8d9" */
  memory_id!: string;
  /** @example "Is allergic to nothing, and likes the sea." */
  text!: string;
  /** Unix time in milliseconds. */
  created!: number;
}

/** A memory, as users and operators see it. */
export type Memory = Readonly<MemoryDetails>;

/** A memory in an export. */
export type ExportedMemory = Memory & Pick<Owner, 'project_id' | 'user_id'>;

export class MemoryList {
  /** Newest first, at most 100. */
  memories!: MemoryDetails[];
}
