import { type Type } from '@nestjs/common';
import { plainToInstance, TransformationType } from 'class-transformer';
import { defaultMetadataStorage as storage } from 'class-transformer/cjs/storage.js';

/** Maximum nesting depth of converted values: class-transformer recurses for each level. */
const MAX_DEPTH = 32;

/** Whether a class has class-transformer decorators. */
export function isConverted(type: Type, fields: readonly string[]): boolean {
  return (
    storage.getExposedMetadatas(type).length > 0 ||
    storage.getExcludedMetadatas(type).length > 0 ||
    fields.some(
      (field) =>
        storage.findTypeMetadata(type, field) !== undefined ||
        storage.findTransformMetadatas(type, field, TransformationType.PLAIN_TO_CLASS).length > 0,
    )
  );
}

/** Client-side names of fields that `@Expose({ name })` renames. */
export function sentNames(type: Type): string[] {
  return storage.getExposedMetadatas(type).flatMap(({ options }) => options.name ?? []);
}

/** Converts to an instance of a class, by its decorators. */
export function convert(type: Type, given: Record<string, unknown>): Record<string, unknown> {
  return plainToInstance(type, given) as Record<string, unknown>;
}

/** Whether a value can be converted: not nested too deeply. */
export function isShallow(value: unknown, levels = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isShallow(inner, levels - 1));
}
