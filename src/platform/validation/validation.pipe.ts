import { type ArgumentMetadata, Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { getMetadataStorage, ValidateIf, type ValidationError, validateSync, ValidationTypes } from 'class-validator';
import { describeFailure, type ErrorName, type MessageValues } from 'avatar-chat-errors';
import { failure, ServiceError } from '../errors/index.js';
import { convert, isConverted, isShallow, sentNames } from './conversion.js';
import { compileRules, type RuleCheck } from './rules.js';

/** The code and text of a field's failed rule: `@Matches(STARS, refusal('invalid_stars', '…'))`. */
export function refusal(code: string, message: string): { context: { code: string }; message: string } {
  return { context: { code }, message };
}

/** As {@link refusal}, with an error of the service: `@Matches(USER_ID, refusalOf('invalid_user_id'))`. */
export function refusalOf<N extends ErrorName>(name: N, ...values: MessageValues<N>): ReturnType<typeof refusal> {
  const { code, message } = describeFailure(name, ...values);
  return refusal(code, message);
}

/** An optional field. Unlike with class-validator's `IsOptional`, null is a value, and must be valid. */
export function IfGiven(): PropertyDecorator {
  return ValidateIf((_dto, value) => value !== undefined);
}

/** A query that refuses parameters of other names, which might have been meant to narrow what is deleted. */
export class ExactQuery {
  static readonly isExact = true;
}

/** Cached metadata of a class with rules. */
interface Shape {
  /** Fields with rules, in the order of declaration. */
  readonly fields: readonly string[];
  /** Their names in a client's object. */
  readonly names: readonly string[];
  readonly isConverted: boolean;
  /** Fields whose class has rules of its own and is only known by the type of the field. */
  readonly nested: ReadonlyMap<string, Type>;
  readonly isValid: RuleCheck;
}

/** Types that the compiler records for anything but a class of the program. */
const BUILT_IN: ReadonlySet<unknown> = new Set([
  String,
  Number,
  Boolean,
  BigInt,
  Symbol,
  Object,
  Array,
  Function,
  Promise,
]);

/**
 * Validates every parameter whose type is a class, and passes the controller an instance with only the fields that have
 * class-validator rules: a class without rules has no fields. Values are only converted by class-transformer's
 * decorators. The error is that of the first invalid field, in the order of declaration. Nest's own pipe would walk all
 * other client data, to any depth, and return a list.
 */
@Injectable()
export class ValidationPipe implements PipeTransform {
  private readonly shapes = new Map<Type, Shape>();

  transform(value: unknown, { metatype, type }: ArgumentMetadata): unknown {
    // What a parameter decorator of the program returns does not come from the client.
    if (!metatype || type === 'custom' || BUILT_IN.has(metatype)) return value;
    const shape = this.shapeOf(metatype);
    // A single parameter of a built-in class, such as a Date or a Buffer, is converted by other pipes.
    if (shape.fields.length === 0 && (typeof value !== 'object' || value instanceof metatype)) return value;
    const dto = this.instanceOf(metatype, shape, isObject(value) ? value : {});
    const valid = () => {
      // A list or a bare value as the body, of whose fields none is required.
      if (type === 'body' && shape.fields.length > 0 && value !== undefined && !isObject(value))
        throw failure('invalid_json');
      const given = type === 'query' && 'isExact' in metatype ? Object.keys(value as object) : [];
      if (!given.every((name) => shape.names.includes(name))) throw failure('unknown_parameter');
      return dto;
    };
    if (shape.fields.length === 0) return valid();
    const whitelist = shape.isConverted || shape.nested.size > 0;
    if (!whitelist && shape.isValid(dto)) return valid();
    const errors = validateSync(dto, { stopAtFirstError: true, whitelist });
    const { fields } = shape;
    const first = errors.sort((a, b) => fields.indexOf(a.property) - fields.indexOf(b.property))[0];
    if (first) throw refusalBy(first);
    return valid();
  }

  private instanceOf(type: Type, { names, isConverted, nested }: Shape, given: Record<string, unknown>): object {
    const dto = new type() as Record<string, unknown>;
    const taken: Record<string, unknown> = isConverted ? {} : dto;
    for (const name of names) if (Object.hasOwn(given, name)) taken[name] = given[name];
    if (isConverted || nested.size > 0) for (const name of names) if (!isShallow(taken[name])) throw notValid(name);
    if (isConverted) Object.assign(dto, convert(type, taken));
    for (const [field, inner] of nested) {
      const value = dto[field];
      if (isObject(value) && !(value instanceof inner)) dto[field] = this.instanceOf(inner, this.shapeOf(inner), value);
    }
    return dto;
  }

  private shapeOf(type: Type): Shape {
    let shape = this.shapes.get(type);
    if (!shape) {
      const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
      const fields = [...new Set(rules.map((rule) => rule.propertyName))];
      const names = [...new Set([...fields, ...sentNames(type)])];
      const nested = rules
        .filter((rule) => rule.type === ValidationTypes.NESTED_VALIDATION)
        .map(({ propertyName }) => [propertyName, designType(type, propertyName)] as const)
        .filter((entry): entry is readonly [string, Type] => entry[1] !== undefined);
      shape = {
        fields,
        names,
        isConverted: isConverted(type, fields),
        nested: new Map(nested),
        isValid: compileRules(type),
      };
      this.shapes.set(type, shape);
    }
    return shape;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The class of a field, as recorded by the compiler; undefined if it is not a custom class. */
function designType(type: Type, field: string): Type | undefined {
  const found: unknown = Reflect.getMetadata('design:type', type.prototype as object, field);
  return typeof found === 'function' && found !== Object && found !== Array ? (found as Type) : undefined;
}

/** The error of the first failed rule, which may be of a nested field. */
function refusalBy(error: ValidationError, path = error.property): ServiceError {
  const [child] = error.children ?? [];
  const [rule, message = ''] = Object.entries(error.constraints ?? {})[0] ?? [];
  // A nested value that is of no class with rules has an error without a property.
  if (rule === undefined && child) return refusalBy(child, child.property ? `${path}.${child.property}` : path);
  const context = error.contexts?.[rule ?? ''] as { code?: string } | undefined;
  return context?.code ? new ServiceError(400, context.code, message) : notValid(path);
}

function notValid(path: string): ServiceError {
  const field = path.split('.', 1)[0]!.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return new ServiceError(400, `invalid_${field}`, `${path} is not valid.`);
}
