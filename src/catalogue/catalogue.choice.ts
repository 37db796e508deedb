import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsString, Length } from 'class-validator';
import { failure } from '../platform/errors/index.js';
import { IfGiven, refusalOf } from '../platform/validation/index.js';
import type { Avatar, ResolvedProject } from 'avatar-chat-catalogue';

/** Validation and documentation of a request's `avatar_id`. */
export function AvatarIdField(): PropertyDecorator {
  return applyDecorators(
    Length(1, 128, refusalOf('invalid_avatar_id')),
    ApiProperty({
      description: 'One of the avatars that GET /connection lists.',
      example: 'ada',
      minLength: 1,
      maxLength: 128,
    }),
  );
}

/** Validation and documentation of a request's optional `language_code`. */
export function LanguageCodeField(): PropertyDecorator {
  return applyDecorators(
    IfGiven(),
    IsString(refusalOf('invalid_language_code')),
    ApiProperty({ description: "Left out: the project's first language.", example: 'en', required: false }),
  );
}

/** @throws ServiceError `avatar_not_found` if the project has no such avatar */
export function chosenAvatar({ avatars }: ResolvedProject, avatar_id: string): Avatar {
  const avatar = avatars.find(({ _id }) => _id === avatar_id);
  if (!avatar) throw failure('avatar_not_found');
  return avatar;
}

/**
 * @param language_code omitted: the project's first
 * @throws ServiceError `invalid_language_code` if the project does not have that language, or has none
 */
export function chosenLanguage({ languages }: ResolvedProject, language_code?: string): string {
  const language =
    language_code === undefined ? languages[0] : languages.find((one) => one.language_code === language_code);
  if (!language) throw failure('invalid_language_code');
  return language.language_code;
}
