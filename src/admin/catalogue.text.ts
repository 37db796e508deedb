import { isStorable } from 'avatar-chat-catalogue';

/** What cannot be stored could overflow the stack: it becomes a small file with the same fault. */
const NOT_STORABLE = { '\0': null };

export function catalogueText(file: unknown): string {
  return JSON.stringify(isStorable(file) ? (file ?? null) : NOT_STORABLE);
}
