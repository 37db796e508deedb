import type { IdentityEntry, Project } from './catalogue.types.js';

/** Of the projects whose providers name neither issuer nor audience: each of them is asked about a token of no other. */
const MAX_UNNAMED = 10;

interface Fault {
  place: string;
  problem: string;
}

type Identified = Pick<Project, 'project_id' | 'identity'>;

/** The projects with an identity provider by what their tokens say. */
export class IdentityIndex {
  private readonly projects = new Map<string, Project[]>();

  constructor(projects: readonly Project[]) {
    for (const project of projects) {
      if (!project.identity) continue;
      const name = nameOf(project.identity);
      this.projects.set(name, [...(this.projects.get(name) ?? []), project]);
    }
  }

  /** How many issuers and audiences there are. */
  get size(): number {
    return this.projects.size;
  }

  /** Those of the issuer and the first audience that any project has; else of the issuer alone; else those that name none. */
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

/** Projects of a file that would take the tokens of another one. */
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
