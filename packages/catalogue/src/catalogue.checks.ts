import { type CatalogueFault, CatalogueFileError, parseCatalogueFile } from './catalogue.file.js';
import type { CatalogueChange, Catalogue } from './catalogue.types.js';

/** Reports what is wrong with a change, by path in its file. `after` is the whole catalogue with the change. */
export type CatalogueCheck = (change: CatalogueChange, after: CatalogueChange) => CatalogueFault[];

/** Returns those of these names under which removed projects have left data. */
export type LeftoverCheck = (project_ids: readonly string[]) => Promise<readonly string[]>;

const LEFTOVERS =
  'names a removed project whose messages remain (project remove ID --erase erases them, project add ID --keep-messages takes them over)';

/** Checks that a catalogue file must pass before it is applied, besides its schema. */
export class CatalogueChecks {
  private readonly checks: CatalogueCheck[] = [];
  private readonly leftoverChecks: LeftoverCheck[] = [];

  add(check: CatalogueCheck): void {
    this.checks.push(check);
  }

  addOfLeftovers(check: LeftoverCheck): void {
    this.leftoverChecks.push(check);
  }

  /** Those of these names under which removed projects have left data. */
  async leftovers(project_ids: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set((await Promise.all(this.leftoverChecks.map((check) => check(project_ids)))).flat());
  }

  /**
   * What a file changes.
   *
   * @param existing the current catalogue
   * @throws CatalogueFileError with the faults that {@link parseCatalogueFile} finds or, if there are none, all others
   */
  async read(text: string, existing: Catalogue): Promise<CatalogueChange> {
    const change = parseCatalogueFile(text, existing);
    const after = {
      avatars: replaced(existing.avatars, change.avatars, ({ _id }) => _id),
      languages: replaced(existing.languages, change.languages, ({ language_code }) => language_code),
      projects: replaced(existing.projects, change.projects, ({ project_id }) => project_id),
    };
    const faults = this.checks.flatMap((check) => check(change, after));
    const known = new Set(existing.projects.map(({ project_id }) => project_id));
    const names = change.projects.map(({ project_id }) => project_id);
    // The very first file finds no projects, so none can have been removed.
    const leftovers = known.size > 0 ? await this.leftovers(names.filter((name) => !known.has(name))) : new Set();
    names.forEach((name, index) => {
      if (leftovers.has(name)) faults.push({ place: `projects[${index}].project_id`, problem: LEFTOVERS });
    });
    if (faults.length > 0) throw new CatalogueFileError(faults);
    return change;
  }
}

function replaced<T>(before: readonly T[], changed: readonly T[], idOf: (one: T) => string): T[] {
  const ids = new Set(changed.map(idOf));
  return [...before.filter((one) => !ids.has(idOf(one))), ...changed];
}
