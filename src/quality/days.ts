export const DAY_MS = 86_400_000;
/** Retention of counts. */
export const KEPT_DAYS = 400;

/** A day in UTC, such as `2026-05-02`. */
export function dayOf(date: number): string {
  return new Date(date).toISOString().slice(0, 10);
}
