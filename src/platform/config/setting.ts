import type { Kind } from './setting-kinds.js';

/** One setting: an environment variable, or a line in `.env`. */
export interface Setting {
  /** Heading under which it is documented. */
  readonly group: string;
  /** Used in `.env.example`, where links are left out. */
  readonly description: string;
  readonly kind: Kind<unknown>;
  readonly unit?: string;
  /** The text that an unset variable stands for. Left out: the value is undefined, and `defaultText` says what happens. */
  readonly default?: string;
  /** As `default`, if NODE_ENV is `production`. */
  readonly productionDefault?: string;
  /** The default in words. Markdown. */
  readonly defaultText?: string;
  /** What `.env.example` has instead of the default. */
  readonly sample?: string;
  /** An older name, which is read if the variable itself is unset. */
  readonly formerName?: string;
  /** Whether the value is a secret or may contain one. */
  readonly secret?: true;
}
