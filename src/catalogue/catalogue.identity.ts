import type { IdentityEntry, Project } from './catalogue.types.js';

/**
 * Maximum number of projects whose providers name neither issuer nor audience: each of them is tried for a token that
 * matches no other project.
 */
const MAX_UNNAMED = 10;

interface Fault {
  place: string;
  problem: string;
}

type Identified = Pick<Project, 'project_id' | 'identity'>;

/** Indexes the projects with an identity provider by the claims of their tokens. */
export class IdentityIndex {
  private readonly projects = new Map<string, Project[]>();

  constructor(projects: readonly Project[]) {
    for (const project of projects) {
      if (!project.identity) continue;
      const name = nameOf(project.identity);
      this.projects.set(name, [...(this.projects.get(name) ?? []), project]);
    }
  }

  /** Number of issuers and audiences. */
  get size(): number {
    return this.projects.size;
  }

  /**
   * The projects of the issuer and the first audience that any project has; else of the issuer alone; else those
   * without criteria.
   */
  find({ iss, aud }: Readonly<Record<string, unknown>> = {}): readonly Project[] {
    const issuer = typeof iss === 'string' ? iss : undefined;
    const audiences: unknown[] = Array.isArray(aud) ? aud : [aud];
    for (const audience of [...audiences.filter((one) => typeof one === 'string'), undefined]) {
      const found = issuer === undefined ? undefined : this.projects.get(nameOf({ issuer, audience }));
      if (found) return found;
    }
    return this.projects.get(nameOf({})) ?? [];
  }
}

/** Projects of a file that would accept another project's tokens. */
export function sharedIdentities(projects: readonly Identified[], existing: readonly Identified[]): Fault[] {
  const named = new Set(projects.map(({ project_id }) => project_id));
  const others = existing.filter(({ project_id }) => !named.has(project_id));
  const takers = new Map<string, string[]>();
  const faults: Fault[] = [];
  const add = ({ project_id, identity }: Identified, place?: string) => {
    if (!identity) return;
    const name = nameOf(identity);
    const before = takers.get(name) ?? [];
    const isFull = before.length >= (name === nameOf({}) ? MAX_UNNAMED : 1);
    if (isFull && place) faults.push({ place, problem: `has the issuer and the audience of project ${before[0]}` });
    takers.set(name, [...before, project_id]);
  };
  for (const project of others) add(project);
  projects.forEach((project, index) => add(project, `projects[${index}].identity`));
  return faults;
}

function nameOf({ issuer, audience }: Pick<IdentityEntry, 'issuer' | 'audience'>): string {
  return JSON.stringify([issuer ?? null, audience ?? null]);
}
