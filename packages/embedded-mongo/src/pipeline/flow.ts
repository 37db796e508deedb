import type { Doc } from '../values/bson.js';
import { LATER } from '../server/slice.js';

/** Documents, interleaved with {@link LATER}, which every stage passes on. */
export type Flow = Iterable<Doc | typeof LATER>;

/** State shared by the stages of a running pipeline. */
export interface PipelineContext {
  /** The variables that expressions may use. */
  variables: Doc;
  /** The matching documents of another collection of the database. */
  read(collection: string, filter: Doc, variables: Doc): Flow;
  /** Whether it is time for a pause. */
  due(): boolean;
}

/** A compiled stage: consumes documents one at a time and yields documents. */
export type Step = (input: Flow, context: PipelineContext) => Flow;

/** The scope in which a stage is compiled. */
export interface Scope {
  /** The variables that its expressions may use. */
  names: string[];
  /** Compiles a pipeline within the stage, which may use more variables. */
  pipeline(inner: unknown[], names?: string[]): { name: string; argument: any; step: Step }[];
}

/** Compiles a stage's argument. */
export type Maker = (argument: any, scope: Scope) => Step;

/** A stage that maps each document to one. */
export const mapped = (run: (doc: Doc, context: PipelineContext) => Doc): Step =>
  function* (input, context) {
    for (const doc of input) yield doc === LATER ? LATER : run(doc, context);
  };

/** Collects everything at once. */
export function drain(flow: Flow): Doc[] {
  const docs: Doc[] = [];
  for (const doc of flow) if (doc !== LATER) docs.push(doc);
  return docs;
}
