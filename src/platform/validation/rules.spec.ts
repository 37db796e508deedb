import { Allow, IsDefined, IsIn, IsInt, IsOptional, IsString, MaxLength, validateSync } from 'class-validator';
import fc from 'fast-check';
import { compileRules } from './rules.js';
import { IfGiven } from './validation.pipe.js';

class Plain {
  @IsString()
  @MaxLength(2)
  text: unknown;
  @IsOptional()
  @IsInt()
  amount: unknown;
  @IfGiven()
  @IsIn(['a', 'b'])
  choice: unknown;
}
class Inherited extends Plain {
  @IsInt()
  more: unknown;
}
class Listed {
  @IsString({ each: true })
  text: unknown;
}
class Conditional {
  @IsInt({ validateIf: (dto: Conditional) => dto.amount !== null })
  amount: unknown;
}
class Defined {
  @IsDefined()
  text: unknown;
}
class Kept {
  @Allow()
  text: unknown;
}

const value = fc.constantFrom<unknown>(undefined, null, 'a', 'abc', 1, 1.5, ['a'], [1], {});
const fields = fc.record(
  { text: value, amount: value, choice: value, more: value },
  { requiredKeys: [], noNullPrototype: true },
);

describe('rules of a class as one function', () => {
  it.each([Plain, Inherited, Listed, Conditional, Defined, Kept])(
    '%p: passes only if class-validator passes',
    (type) => {
      const isValid = compileRules(type);
      fc.assert(
        fc.property(fields, (given) => {
          const dto = Object.assign(new type(), given);
          expect(isValid(dto) && validateSync(dto).length > 0).toBe(false);
        }),
      );
    },
  );

  it.each([Plain, Inherited])('%p: rejects only if class-validator rejects', (type) => {
    const isValid = compileRules(type);
    fc.assert(
      fc.property(fields, (given) => {
        const dto = Object.assign(new type(), given);
        expect(isValid(dto)).toBe(validateSync(dto).length === 0);
      }),
    );
  });
});
