import { Injectable } from '@nestjs/common';
import type { Owner } from '../auth/index.js';
import { CatalogueService } from '../catalogue/index.js';
import { Clock } from '../platform/config/index.js';
import { failure } from '../platform/errors/index.js';
import { Coalesced } from 'avatar-chat-runtime';
import {
  COUNTER,
  type Erasure,
  type ErasureFence,
  ErasureRepository,
  keyOf,
  type Subject,
} from './erasure.repository.js';

/** How long an erasure is recorded: longer than any work in progress takes, and longer than clocks differ. */
const KNOWN_MS = 86_400_000;

/**
 * Keeps work that was in progress when a user was erased, or a project removed, from writing afterwards, in any
 * process. A writer reads the {@link currentFence} first, calls {@link assertNotErased} after each write, and undoes the write if
 * that throws. An eraser calls {@link mark} before removing anything. Either the removal comes after the write and
 * removes it, or the write comes after the mark and is undone.
 */
@Injectable()
export class ErasureFences {
  private readonly numbers: Coalesced<Map<string, number>>;
  private readonly projects: Coalesced<ReadonlySet<string>>;

  constructor(
    private readonly repository: ErasureRepository,
    catalogue: CatalogueService,
    private readonly clock: Clock,
  ) {
    this.numbers = new Coalesced((keys) => repository.numbers(keys));
    this.projects = new Coalesced((project_ids) => catalogue.existing(project_ids));
  }

  /** The fence of an operation that begins now, after every erasure so far. */
  async currentFence(): Promise<ErasureFence> {
    return (await this.numbers.get([COUNTER])).get(COUNTER) ?? 0;
  }

  /**
   * Records that a user, or a project with all of its users, is about to be erased.
   *
   * @returns the {@link ErasureFence} from which data may be kept
   */
  mark(subject: Subject): Promise<ErasureFence> {
    const { project_id, user_id, erased } = subject;
    const marked = {
      project_id,
      ...(user_id === undefined ? {} : { user_id }),
      ...(erased === undefined ? {} : { erased }),
    };
    return this.repository.add(marked, new Date(this.clock.now() + KNOWN_MS));
  }

  /** @throws ServiceError `user_erased` or `project_not_found` if the operation must not write any more */
  async assertNotErased(owner: Owner, fence: ErasureFence): Promise<void> {
    const { project_id } = owner;
    const [numbers, projects] = await Promise.all([
      this.numbers.get([project_id, keyOf(owner)]),
      this.projects.get([project_id]),
    ]);
    if (!projects.has(project_id) || isAfter(numbers.get(project_id), fence)) throw failure('project_removed');
    if (isAfter(numbers.get(keyOf(owner)), fence)) throw failure('user_erased');
  }

  /** Those of these owners who were erased, or whose project was removed, since then. */
  async erasedOf(owners: readonly Subject[], fence: ErasureFence): Promise<Set<string>> {
    const keys = new Set(owners.flatMap((owner) => [owner.project_id, keyOf(owner)]));
    const numbers = await this.numbers.get([...keys]);
    const erased = owners.filter((owner) =>
      [owner.project_id, keyOf(owner)].some((key) => isAfter(numbers.get(key), fence)),
    );
    return new Set(erased.map(keyOf));
  }

  /**
   * Users and projects whose erasure is still recorded, each with the {@link ErasureFence} from which data may be kept.
   */
  known(): AsyncIterable<Erasure> {
    return this.repository.all();
  }

  /** Whether a project exists at this moment. */
  async hasProject(project_id: string): Promise<boolean> {
    return (await this.projects.get([project_id])).has(project_id);
  }
}

function isAfter(number: number | undefined, fence: ErasureFence): boolean {
  return number !== undefined && number > fence;
}
