import { IsInt, IsOptional, Matches, Max, MaxLength, Min, ValidateNested, validateSync } from 'class-validator';
import fc from 'fast-check';
import { compileRules } from './validation.quick.js';
import { IfGiven } from './validation.pipe.js';

class Plain {
  @Matches(/^[a-c]{1,3}$/)
  @MaxLength(2)
  name: unknown;
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(9)
  count: unknown;
  @IfGiven()
  @Matches(/^x/)
  place: unknown;
}
class Listed {
  @Matches(/^a$/, { each: true })
  names: unknown;
}
class Nested {
  @ValidateNested()
  plain: unknown;
}

const value = fc.oneof(
  fc.constantFrom(undefined, null, '', 'a', 'ab', 'abc', 'x', 'xy', 0, 1, 9, 10, 1.5, [], ['a'], {}),
  fc.anything(),
);

describe('the rules of a class as one function', () => {
  it('says yes and no where class-validator does', () => {
    const holds = compileRules(Plain);
    let kept = 0;
    fc.assert(
      fc.property(fc.record({ name: value, count: value, place: value }, { requiredKeys: [] }), (fields) => {
        const dto = Object.assign(new Plain(), fields);
        const errors = validateSync(dto, { stopAtFirstError: true });
        expect(holds(dto)).toBe(errors.length === 0);
        if (errors.length === 0) kept++;
      }),
      { numRuns: 5000 },
    );
    expect(kept).toBeGreaterThan(0);
  });

  it('leaves lists and nested objects to class-validator', () => {
    expect(compileRules(Listed)(Object.assign(new Listed(), { names: ['a'] }))).toBe(false);
    expect(compileRules(Nested)(Object.assign(new Nested(), { plain: new Plain() }))).toBe(false);
  });
});
