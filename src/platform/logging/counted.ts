/** A count with its noun, for people: `1 message`, `2 messages`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
