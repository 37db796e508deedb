/** A call by a model; `args` should be JSON. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: string;
}

/** A function that the caller of a turn runs itself. */
export interface CallerFunction {
  /** 1–64 of `A-Z a-z 0-9 _ -`. An avatar's own tool of the same name comes first. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments; passed on to the model. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Calls that a model made together, and what they came to. */
export interface FunctionRound {
  /** What the model said before them; possibly empty. */
  readonly text: string;
  readonly calls: readonly ToolCall[];
  /** Texts by the identifiers of the calls. A call that is not there is the caller's to run. */
  readonly results: Readonly<Record<string, string>>;
}

/**
 * The functions of whoever asks for a turn, such as the client of a live session. They are offered to the model next to
 * the avatar's tools. If the model calls one, the answer ends with what was said before, possibly nothing: the caller
 * runs it, and asks for a turn with the same request and with the {@link rounds}.
 */
export interface CallerFunctions {
  readonly functions: readonly CallerFunction[];
  /**
   * What the model's first answer must do, by default `auto`. With `none` the functions are not offered; the avatar's tools
   * are. An unknown name counts as `auto`.
   */
  readonly choice?: 'auto' | 'none' | 'required' | { readonly name: string };
  /** What was called for this request so far, oldest first, each call with its result. Results above 16 KiB are left out. */
  readonly rounds?: readonly FunctionRound[];
  /**
   * Gets the calls, at most once and before the answer ends.
   *
   * @param rounds the former rounds and those of this answer; the last one has calls without results
   */
  onCalls(rounds: readonly FunctionRound[]): void;
}

/** The functions of a caller, if there are any, as a turn has them; `onCalled` learns first that some are called. */
export function noticed(caller: CallerFunctions | undefined, onCalled: () => void): { caller?: CallerFunctions } {
  if (!caller) return {};
  const onCalls: CallerFunctions['onCalls'] = (rounds) => {
    onCalled();
    caller.onCalls(rounds);
  };
  return { caller: { ...caller, onCalls } };
}
