import type { Avatar, KindEntry, Project, ResolvedProject } from 'avatar-chat-catalogue';

/** A user within a project. */
export interface Owner {
  readonly project_id: string;
  readonly user_id: string;
}

/** The user and the avatar. */
export interface Participants {
  readonly owner: Owner;
  readonly resolved: ResolvedProject;
  readonly avatar: Avatar;
  /** From `GET /connection`. */
  readonly session?: string;
  /** Whether the client hears and speaks by WebRTC, and is only sent events. */
  readonly isCall?: boolean;
  /** Address of the client. */
  readonly address: string;
  /** Who takes a share of what users have in common. */
  readonly holders: readonly string[];
}

/** Whose usage a session is. */
export function usedByOf(
  { engines }: { readonly engines: { kindOf(entry: KindEntry): string } },
  { owner, resolved, avatar }: Participants,
): UsedBy {
  return { owner, project: resolved.project, avatar_id: avatar._id, engine: engines.kindOf(avatar.engine) };
}

/** Whose usage something is. */
export interface UsedBy {
  readonly owner: Owner;
  readonly project: Pick<Project, 'settings'>;
  readonly avatar_id: string;
  /** The kind of the engine. */
  readonly engine: string;
}
