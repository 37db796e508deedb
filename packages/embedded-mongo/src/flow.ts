import type { Doc } from './bson.js';
import { LATER } from './slice.js';

/** Documents, with pauses among them that every stage hands on. */
export type Flow = Iterable<Doc | typeof LATER>;

/** What the stages of one running pipeline share. */
export interface Context {
  /** The values of the variables that expressions may use. */
  variables: Doc;
  /** The documents of another collection of the database that match. */
  read(collection: string, filter: Doc, variables: Doc): Flow;
  /** Whether it is time for a pause. */
  due(): boolean;
}

/** A compiled stage: it takes documents one after the other, and gives some. */
export type Step = (input: Flow, context: Context) => Flow;

/** Where a stage stands. */
export interface Scope {
  /** The variables that its expressions may use. */
  names: string[];
  /** Compiles a pipeline within the stage, which may use more. */
  pipeline(inner: unknown[], names?: string[]): { name: string; argument: any; step: Step }[];
}

/** Compiles a stage's argument. */
export type Maker = (argument: any, scope: Scope) => Step;

/** A stage that makes one document of each. */
export const mapped = (run: (doc: Doc, context: Context) => Doc): Step =>
  function* (input, context) {
    for (const doc of input) yield doc === LATER ? LATER : run(doc, context);
  };

/** All of it at once. */
export function drain(flow: Flow): Doc[] {
  const docs: Doc[] = [];
  for (const doc of flow) if (doc !== LATER) docs.push(doc);
  return docs;
}
