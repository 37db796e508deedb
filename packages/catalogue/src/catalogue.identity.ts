import type { IdentityEntry, Project } from './catalogue.types.js';

/**
 * Maximum number of projects whose providers name neither issuer nor audience: each of them is tried for a token that
 * matches no other project.
 */
const MAX_UNNAMED = 10;
/** Audiences of a token that are considered: each may lead to a project, whose keys have to be tried. */
const MAX_AUDIENCES = 10;

interface Fault {
  place: string;
  problem: string;
}

type Identified = Pick<Project, 'project_id' | 'identity'> & { token_policy?: Project['token_policy'] };

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
   * The projects of the issuer and an audience, in the order of the token's first {@link MAX_AUDIENCES}; else of the
   * issuer alone; else those without criteria.
   */
  find({ iss, aud }: Readonly<Record<string, unknown>> = {}): readonly Project[] {
    if (typeof iss === 'string') {
      const audiences: unknown[] = Array.isArray(aud) ? aud.slice(0, MAX_AUDIENCES) : [aud];
      const named = new Set(audiences.filter((one) => typeof one === 'string'));
      const found = [...named].flatMap((audience) => this.projects.get(nameOf({ issuer: iss, audience })) ?? []);
      if (found.length > 0) return found;
      const ofIssuer = this.projects.get(nameOf({ issuer: iss }));
      if (ofIssuer) return ofIssuer;
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

/** Projects of a file whose users anyone could become by `POST /jwt`, in spite of their provider. */
export function openIdentities(projects: readonly Identified[]): Fault[] {
  return projects.flatMap(({ identity, token_policy }, index) =>
    identity && token_policy === 'open'
      ? [{ place: `projects[${index}].token_policy`, problem: 'must be closed or verified beside identity' }]
      : [],
  );
}

function nameOf({ issuer, audience }: Pick<IdentityEntry, 'issuer' | 'audience'>): string {
  return JSON.stringify([issuer ?? null, audience ?? null]);
}
