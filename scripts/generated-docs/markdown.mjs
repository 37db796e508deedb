/** A Markdown list of terms and what they mean. */
export const list = (/** @type {string[][]} */ items) =>
  items.map(([term, ...meaning]) => `- ${term}: ${meaning.join(' ')}`).join('\n');
