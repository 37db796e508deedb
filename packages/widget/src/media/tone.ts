/** How far the tone of a text raises the brows, in units of the drawing: questions and exclamations raise them, hesitation lowers them. */
export function browsFor(text: string): number {
  const [end] = /[?？؟!！…]|\.\.\.|[।.。]/u.exec(text.trim().slice(-3)) ?? [];
  if (!end) return 0;
  return /[?？؟]/.test(end) ? 7 : /[!！]/.test(end) ? 4 : /…|\.\.\./.test(end) ? -3 : 0;
}
