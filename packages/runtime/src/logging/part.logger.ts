/** The log of a part of a server, as Nest's `Logger` has it. */
export interface PartLogger {
  warn(line: string | object): void;
  error(line: string | object): void;
}

/** @param part its name, which each of its lines has */
export type LoggerOf = (part: string) => PartLogger;
