import { getMetadataStorage, type ValidationArguments, ValidationTypes } from 'class-validator';

type Rule = (value: unknown, dto: object) => unknown;

interface Field {
  name: string;
  /** Where one of these does not hold, the rules do not count. */
  conditions: readonly Rule[];
  rules: readonly Rule[];
}

/** Whether an instance keeps all rules of its class. Only a yes is for sure. */
export type QuickCheck = (dto: object) => boolean;

/**
 * The rules of a class as one function, for the usual case that all hold: class-validator gathers them anew for each
 * object and prepares an error for each field. Nested objects and rules for the items of a list are left to it.
 */
export function compileRules(type: Function): QuickCheck {
  const storage = getMetadataStorage();
  const fields = new Map<string, { conditions: Rule[]; rules: Rule[] }>();
  for (const metadata of storage.getTargetValidationMetadatas(type, '', false, false)) {
    const { propertyName: name, constraints, each, validateIf } = metadata;
    let field = fields.get(name);
    if (!field) fields.set(name, (field = { conditions: [], rules: [] }));
    if (metadata.type === ValidationTypes.CONDITIONAL_VALIDATION) {
      field.conditions.push((value, dto) => constraints[0](dto, value));
    } else if (metadata.type === ValidationTypes.CUSTOM_VALIDATION && !each && !validateIf) {
      for (const { instance } of storage.getTargetValidatorConstraints(metadata.constraintCls)) {
        const at = { targetName: type.name, property: name, constraints };
        field.rules.push((value, object) =>
          instance.validate(value, { ...at, value, object } satisfies ValidationArguments),
        );
      }
    } else return () => false;
  }
  const all: Field[] = [...fields].map(([name, field]) => ({ name, ...field }));
  return (dto) =>
    all.every(({ name, conditions, rules }) => {
      const value = (dto as Record<string, unknown>)[name];
      return conditions.some((holds) => !holds(value, dto)) || rules.every((holds) => holds(value, dto) === true);
    });
}
