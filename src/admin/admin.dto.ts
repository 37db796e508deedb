import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Matches, MaxLength } from 'class-validator';
import { Owner, USER_ID } from '../auth/index.js';
import { PROJECT_ID } from 'avatar-chat-catalogue';
import { IfGiven, refusalOf } from '../platform/validation/index.js';

export const [DEFAULT_DAYS, MAX_DAYS] = [30, 9999];

export class ProjectName {
  @Matches(PROJECT_ID, refusalOf('invalid_project_id'))
  @ApiProperty({ pattern: PROJECT_ID.source, example: 'shop' })
  project_id!: string;
}

export class UserName extends ProjectName {
  @Matches(USER_ID, refusalOf('invalid_user_id'))
  @ApiProperty({ pattern: USER_ID.source, example: 'user-1' })
  user_id!: string;

  /** @internal */
  get owner(): Owner {
    return new Owner(this.project_id, this.user_id);
  }
}

/** A user whose data are erased. */
export class ErasedUser extends UserName {
  static readonly isExact = true;
}

export class StatisticsQuery {
  @IfGiven()
  @Matches(/^[1-9][0-9]{0,3}$/, refusalOf('invalid_days', MAX_DAYS))
  @ApiProperty({
    description: 'Count only what is at most this many days old.',
    type: 'integer',
    minimum: 1,
    maximum: MAX_DAYS,
    default: DEFAULT_DAYS,
    required: false,
  })
  days?: string;

  /** @internal */
  get number(): number {
    return Number(this.days ?? DEFAULT_DAYS);
  }
}

/** How an avatar answered in one language. */
export class AvatarQualityDetails {
  avatar_id!: string;
  language_code!: string;
  answered!: number;
  /** Turns in which it said that it does not know; only scripts and modules report this. */
  dodged!: number;
  /** Turns without an answer, or without one in time. */
  failed!: number;
  /** A module refused the request. */
  refused!: number;
}

/** Requests in about the same words that an avatar had no answer to. */
export class UnansweredQuestion {
  avatar_id!: string;
  language_code!: string;
  /** The latest wording, up to 200 characters. */
  question!: string;
  times!: number;
}

export class QualityReport {
  avatars!: AvatarQualityDetails[];
  /** Most frequent first, at most 50. Omitted unless the project's setting `unansweredQuestions` is on. */
  questions?: UnansweredQuestion[];
}

/** What an avatar used on a UTC day. */
export class UsageDetails {
  /** Such as `2026-05-02`. */
  day!: string;
  avatar_id!: string;
  /** Kind of the engine that answered. */
  engine!: string;
  turns!: number;
  prompt_tokens!: number;
  completion_tokens!: number;
  /** Whether some of the tokens are estimated at four bytes each, since the server did not report them. */
  estimated!: boolean;
  /** Seconds of audio that went to speech recognition. */
  seconds_heard!: number;
  seconds_spoken!: number;
  tool_calls!: number;
}

export class UsageReport {
  /** Oldest first. */
  days!: UsageDetails[];
}

export const MAX_SEARCH = 128;

export class UsersQuery extends ProjectName {
  @IfGiven()
  @MaxLength(MAX_SEARCH, refusalOf('invalid_search', MAX_SEARCH))
  @ApiProperty({
    description: 'Part of an identifier, case-insensitive. Omitted or empty: all users.',
    maxLength: MAX_SEARCH,
    required: false,
  })
  search?: string;
}

/** A user who has messages. */
export class UserDetails {
  user_id!: string;
  messages!: number;
  /** Date of the oldest message, in Unix time in milliseconds. */
  first!: number;
  /** Date of the newest message, in Unix time in milliseconds. */
  last!: number;
}

export class UserList {
  /** Ordered by identifier, at most 1,000. */
  users!: UserDetails[];
}

/** Delivery of one event to one webhook. Times are ISO 8601, in UTC. */
export class DeliveryDetails {
  /** The event's identifier, a dot, and the webhook's name. */
  id!: string;
  project_id!: string;
  user_id!: string;
  /** The webhook's name. */
  webhook!: string;
  /** The event's type. */
  type!: string;
  date!: string;
  @ApiProperty({ enum: ['pending', 'delivered', 'dead', 'dropped'] })
  state!: string;
  attempts!: number;
  last_attempt?: string;
  /** HTTP status of the last response. */
  status?: number;
  /** A code that says why there was no response. */
  error?: string;
  next_attempt?: string;
  /** How many events were dropped, since too many others were waiting. */
  dropped?: number;
}

export class DeliveryList {
  /** Newest first, at most 1,000. */
  deliveries!: DeliveryDetails[];
}

export class ProjectList {
  /** Identifiers, in order. */
  projects!: string[];
}

/** A project with its secrets. */
export class ProjectDetails {
  project_id!: string;
  /** `open`, `verified` or `closed`. */
  token_policy!: string;
  /** The secret with which the project's own server signs its users' identifiers. */
  key!: string;
  @ApiProperty({
    type: 'array',
    items: { type: 'object', properties: { until: { type: 'integer' } }, required: ['until'] },
    required: false,
    description: 'When former keys that are still valid expire, in Unix time in milliseconds.',
  })
  previous_keys?: { until: number }[];
  /** Identifiers of the avatars that the project offers. */
  avatars!: string[];
  /** Codes of the languages that the project offers. */
  languages!: string[];
  @ApiProperty({ type: 'object', additionalProperties: true })
  settings!: object;
  @ApiPropertyOptional({ type: 'object', additionalProperties: true })
  speech?: object;
  @ApiPropertyOptional({ type: 'object', additionalProperties: true })
  video?: object;
  @ApiPropertyOptional({ type: 'object', additionalProperties: true })
  handover?: object;
  @ApiPropertyOptional({ type: 'array', items: { type: 'object', additionalProperties: true } })
  replies?: object[];
  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    required: false,
    description: 'With the `secret` of each webhook that does not name a variable.',
  })
  webhooks?: object[];
}

/** A text that operators send often. */
export class PreparedReplyDetails {
  name!: string;
  text!: string;
}

export class ReplyList {
  replies!: PreparedReplyDetails[];
}

/** A catalogue file. */
export class CatalogueDocument {
  @ApiProperty({ type: 'array', items: { type: 'object', additionalProperties: true }, required: false })
  avatars?: object[];
  @ApiProperty({ type: 'array', items: { type: 'object', additionalProperties: true }, required: false })
  languages?: object[];
  @ApiProperty({ type: 'array', items: { type: 'object', additionalProperties: true }, required: false })
  projects?: object[];
}

/** How many entries of each kind a catalogue file named. */
export class CatalogueApplied {
  avatars!: number;
  languages!: number;
  projects!: number;
  /** Whether any of them is another one than before. */
  changed!: boolean;
}

export class CataloguePlace {
  /** @example "projects[0].avatars[2]" */
  place!: string;
  /** @example "there is no avatar \"zoe\"" */
  problem!: string;
}

export class CatalogueFaults {
  /** Empty if the file can be applied. */
  faults!: CataloguePlace[];
}

/** How many items were affected. */
export class Erased {
  messages!: number;
  sessions!: number;
}

export class Statistics {
  /** Messages, users and turns are counted from this time on, in Unix time in milliseconds. */
  since!: number;
  /** Messages of users and avatars. */
  messages!: number;
  /** Users with such messages. */
  users!: number;
  /** Messages of users. */
  turns!: number;
  /** Sessions that have not ended, regardless of when they started. */
  sessions!: number;
}
