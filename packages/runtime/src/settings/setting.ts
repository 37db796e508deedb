import type { Kind } from './setting-kinds.js';

/** One setting: an environment variable, or a line in `.env`. */
export interface Setting {
  /** Heading under which it is documented. */
  readonly group: string;
  /** Description. Markdown; `.env.example` omits the links. */
  readonly description: string;
  readonly kind: Kind<unknown>;
  readonly unit?: string;
  /**
   * The text used if the variable is unset. Omitted: the value is undefined, and `defaultText` describes what happens.
   */
  readonly default?: string;
  /** Overrides `default` if NODE_ENV is `production`. */
  readonly productionDefault?: string;
  /** Description of the default. Markdown. */
  readonly defaultText?: string;
  /** The value in `.env.example`, if it differs from the default. */
  readonly sample?: string;
  /** Whether the value is a secret or may contain one. */
  readonly secret?: true;
}
