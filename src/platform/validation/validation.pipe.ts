import { type ArgumentMetadata, Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { getMetadataStorage, ValidateIf, validateSync } from 'class-validator';
import { describeFailure, type ErrorName, type MessageValues, ServiceError } from '../errors/index.js';

/** The code and text that a failed rule of a field gives: `@Matches(STARS, refusal('invalid_stars', '…'))`. */
export function refusal(code: string, message: string): { context: { code: string }; message: string } {
  return { context: { code }, message };
}

/** As {@link refusal}, with an error of the service: `@Matches(USER_ID, refusalOf('invalid_user_id'))`. */
export function refusalOf<N extends ErrorName>(name: N, ...values: MessageValues<N>): ReturnType<typeof refusal> {
  const { code, message } = describeFailure(name, ...values);
  return refusal(code, message);
}

/** A field that may be left out. Unlike class-validator's `IsOptional`, null is a value, and must be a good one. */
export function IfGiven(): PropertyDecorator {
  return ValidateIf((_dto, value) => value !== undefined);
}

/**
 * Checks every parameter whose type is a class with class-validator rules, and hands the controller an instance of it
 * with the fields that have rules and no others. The first broken field, in the order of their declaration, is the
 * error. Nest's own pipe would walk whatever else a client sends, to any depth, and answer with a list.
 */
@Injectable()
export class ValidationPipe implements PipeTransform {
  /** The fields of each class that have rules, in the order of their declaration. */
  private readonly known = new Map<Type, readonly string[]>();

  transform(value: unknown, { metatype }: ArgumentMetadata): unknown {
    const fields = metatype && this.fieldsOf(metatype);
    if (!fields?.length) return value;
    const given =
      typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
    const dto = new metatype!() as Record<string, unknown>;
    for (const field of fields) if (Object.hasOwn(given, field)) dto[field] = given[field];
    const errors = validateSync(dto, { stopAtFirstError: true });
    const first = errors.sort((a, b) => fields.indexOf(a.property) - fields.indexOf(b.property))[0];
    if (!first) return dto;
    const [rule = '', message = ''] = Object.entries(first.constraints ?? {})[0] ?? [];
    const context = first.contexts?.[rule] as { code?: string } | undefined;
    throw new ServiceError(
      400,
      context?.code ?? `invalid_${first.property}`,
      context?.code ? message : `${first.property} is not valid.`,
    );
  }

  private fieldsOf(type: Type): readonly string[] {
    let fields = this.known.get(type);
    if (!fields) {
      const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
      this.known.set(type, (fields = [...new Set(rules.map((rule) => rule.propertyName))]));
    }
    return fields;
  }
}
