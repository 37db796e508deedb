/** A Markdown table; the formatter aligns it. */
export function table(head, rows) {
  const line = (cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Text of which no character is markup. */
export const escaped = (text) => text.replace(/[*_<[\]`\\]/g, '\\$&');
