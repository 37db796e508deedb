import { ApiProperty } from '@nestjs/swagger';
import { Matches, MaxLength, MinLength } from 'class-validator';
import { PROJECT_ID } from 'avatar-chat-catalogue';
import { IfGiven, refusalOf } from '../platform/validation/index.js';

const MAX_QUESTION = 1_000;
const DEFAULT_LIMIT = 5;
export const LIMIT_RULE = 'limit must be a whole number from 1 to 50.';
export const QUESTION_RULE = `q must be a text of 1 to ${MAX_QUESTION} characters.`;

export class KnowledgeQuery {
  @Matches(PROJECT_ID, refusalOf('invalid_project_id'))
  @ApiProperty({ pattern: PROJECT_ID.source, example: 'shop' })
  project_id!: string;
}

export class KnowledgeSearchQuery extends KnowledgeQuery {
  @MinLength(1, refusalOf('invalid_input', QUESTION_RULE))
  @MaxLength(MAX_QUESTION, refusalOf('invalid_input', QUESTION_RULE))
  @ApiProperty({ minLength: 1, maxLength: MAX_QUESTION, example: 'When are you open?' })
  q!: string;

  @IfGiven()
  @Matches(/^([1-9]|[1-4][0-9]|50)$/, refusalOf('invalid_input', LIMIT_RULE))
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 50, default: DEFAULT_LIMIT, required: false })
  limit?: string;

  /** @internal */
  get number(): number {
    return Number(this.limit ?? DEFAULT_LIMIT);
  }
}

/** A form with a document. */
export class KnowledgeForm {
  @ApiProperty({ type: 'string', format: 'binary', description: 'PDF, DOCX, HTML, Markdown or text, up to 20 MiB.' })
  file!: unknown;
  @ApiProperty({ minLength: 1, maxLength: 200, required: false, description: 'Omitted: the name of the file.' })
  title?: string;
  @ApiProperty({ required: false, description: 'Where people can read the document: an http or https URL.' })
  url?: string;
}

export class KnowledgeDocumentDetails {
  document_id!: string;
  title!: string;
  url?: string;
  bytes!: number;
  /** Number of passages. */
  passages!: number;
  /** Unix time in milliseconds. */
  updated!: number;
}

export class KnowledgeDocumentList {
  /** Ordered by title. */
  documents!: KnowledgeDocumentDetails[];
}

export class KnowledgePassageDetails {
  document_id!: string;
  title!: string;
  url?: string;
  /** With its heading. */
  text!: string;
  score!: number;
}

export class KnowledgePassageList {
  /** Best first. */
  passages!: KnowledgePassageDetails[];
}
