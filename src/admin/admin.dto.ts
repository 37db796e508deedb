import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import { Owner, USER_ID } from '../auth/index.js';
import { PROJECT_ID } from '../catalogue/index.js';
import { IfGiven, refusalOf } from '../platform/validation/index.js';

const DEFAULT_DAYS = 30;

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

export class StatisticsQuery {
  @IfGiven()
  @Matches(/^[1-9][0-9]{0,3}$/, refusalOf('invalid_days'))
  @ApiProperty({
    description: 'Counts what is at most so many days old.',
    type: 'integer',
    minimum: 1,
    maximum: 9999,
    default: DEFAULT_DAYS,
    required: false,
  })
  days?: string;

  /** @internal */
  get number(): number {
    return Number(this.days ?? DEFAULT_DAYS);
  }
}

export class ProjectList {
  /** Identifiers, in their order. */
  projects!: string[];
}

/** A project with its secrets. */
export class ProjectDetails {
  project_id!: string;
  /** `open` or `verified`. */
  token_policy!: string;
  /** The secret under which the project's own server verifies its users. */
  key!: string;
  /** Identifiers of the avatars that it offers. */
  avatars!: string[];
  /** Codes of the languages that it offers. */
  languages!: string[];
  @ApiProperty({ type: 'object', additionalProperties: true })
  settings!: object;
  @ApiPropertyOptional({ type: 'object', additionalProperties: true })
  speech?: object;
  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    required: false,
    description: 'With the `secret` of each that names no variable.',
  })
  webhooks?: object[];
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

/** How many of each a catalogue file named. */
export class CatalogueApplied {
  avatars!: number;
  languages!: number;
  projects!: number;
}

export class CataloguePlace {
  /** @example "projects[0].avatars[2]" */
  place!: string;
  /** @example "there is no avatar \"zoe\"" */
  problem!: string;
}

export class CatalogueFaults {
  /** Empty where the file can be applied. */
  faults!: CataloguePlace[];
}

/** How many there were. */
export class Erased {
  messages!: number;
  sessions!: number;
}

export class Statistics {
  /** Unix time in milliseconds: what is counted of messages, users and turns is not older. */
  since!: number;
  /** Messages of users and avatars. */
  messages!: number;
  /** Users with such messages. */
  users!: number;
  /** Messages of users. */
  turns!: number;
  /** Sessions that have not ended, whenever they began. */
  sessions!: number;
}
