import type { Owner } from '../auth/index.js';
import type { ErasureFence, Subject } from './erasure.repository.js';

/**
 * What a feature stores of users. Extend it and provide it in any module: it is discovered, and every erasure calls it.
 * If one throws, the erasure fails and can be repeated: each method does nothing if there is nothing left.
 *
 * @example
 * ```ts
 * @Injectable()
 * export class NotesData extends ErasableData {
 *   readonly name = 'notes';
 *   eraseUser = ({ project_id, user_id }: Owner) => this.notes.remove({ project_id, user_id });
 *   eraseProject = (project_id: string) => this.notes.remove({ project_id });
 * }
 * ```
 */
export abstract class ErasableData {
  /** Unique; in the counts of an erasure. */
  abstract readonly name: string;
  /** Lower values are erased earlier; what refers to other data is erased after it. */
  readonly order: number = 0;

  /**
   * Erases data that carries no fence, before the erasure is recorded: what a user stores after that stays. Work in
   * progress that stores more has to check {@link ErasureFences.assertNotErased}, and to undo that.
   */
  eraseUnfenced?(owner: Owner): Promise<void>;

  /**
   * Erases a user's data.
   *
   * @param erasure what was stored with this fence, or a later one, may stay
   * @returns how many there were
   */
  eraseUser?(owner: Owner, erasure: ErasureFence): Promise<number | void>;

  /**
   * Erases what is stored for a project besides its users' messages, when it was removed or all of its users were erased.
   *
   * @returns how many there were
   */
  eraseProject?(project_id: string, isRemoved: boolean): Promise<number | void>;

  /** Erases data with an earlier fence that a process stored after an erasure, and then crashed. Called every hour. */
  eraseLeftovers?(subject: Subject, erasure: ErasureFence): Promise<void>;
}
