/** How tightly operators bind. */
const BINDS: Readonly<Record<string, number>> = { '+': 1, '-': 1, '*': 2, '/': 2, '^': 4 };

/**
 * The value of a calculation in numbers, `+ - * / ^ % ( )` and `sqrt`; NaN for a division by zero or the root of a
 * negative number, undefined if it is none.
 */
export function evaluate(tokens: readonly string[]): number | undefined {
  let at = 0;
  try {
    const value = sum(1);
    return at === tokens.length ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }

  function sum(least: number): number {
    let left = signed();
    for (;;) {
      const operator = tokens[at]!;
      const binds = BINDS[operator];
      if (binds === undefined || binds < least) return left;
      at++;
      // A power binds to the right.
      left = apply(operator, left, sum(operator === '^' ? binds : binds + 1));
    }
  }

  function signed(): number {
    if (tokens[at] === '-') {
      at++;
      return -sum(3);
    }
    if (tokens[at] === 'sqrt') {
      at++;
      return Math.sqrt(sum(3));
    }
    let value = operand();
    for (; tokens[at] === '%'; at++) value /= 100;
    return value;
  }

  function operand(): number {
    const token = tokens[at++];
    if (token === '(') {
      const value = sum(1);
      if (tokens[at++] !== ')') throw new SyntaxError('a bracket is missing');
      return value;
    }
    const value = Number(token);
    if (token === undefined || Number.isNaN(value)) throw new SyntaxError('a number is missing');
    return value;
  }
}

function apply(operator: string, left: number, right: number): number {
  if (operator === '+') return left + right;
  if (operator === '-') return left - right;
  if (operator === '*') return left * right;
  if (operator === '^') return left ** right;
  return right === 0 ? Number.NaN : left / right;
}
