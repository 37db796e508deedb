import { AvatarIdField, LanguageCodeField } from '../catalogue/index.js';

export class SuggestionsQuery {
  @AvatarIdField()
  avatar_id!: string;

  @LanguageCodeField()
  language_code?: string;
}

/** What a user may ask an avatar first. */
export class Suggestions {
  /** @example ["What can you do?"] */
  suggestions!: string[];
}
