/** A message of a prompt, in the form of OpenAI's chat completions. */
export interface LlamaMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string | null;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { name: string; arguments: string } }[];
  readonly tool_call_id?: string;
}

/** A function that the model may call. */
export interface LlamaFunction {
  readonly name: string;
  readonly description: string;
  /** JSON Schema. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface LlamaRequest {
  readonly messages: readonly LlamaMessage[];
  readonly functions: readonly LlamaFunction[];
  /** The evaluated beginning of the prompt is reused by requests with the same. */
  readonly conversation: string;
  readonly context_tokens: number;
  readonly max_tokens: number;
  readonly temperature: number;
}

export interface LlamaResult {
  readonly calls: readonly { readonly name: string; readonly args: string }[];
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  /** Whether `max_tokens` ended it. */
  readonly isCut: boolean;
}

/** To the child process. */
export type ToLlama =
  | { readonly type: 'ask'; readonly id: number; readonly request: LlamaRequest }
  | { readonly type: 'stop'; readonly id: number };

/** From the child process. */
export type FromLlama =
  | { readonly type: 'ready' }
  /** The model cannot be used. */
  | { readonly type: 'unusable'; readonly reason: string }
  | { readonly type: 'piece'; readonly id: number; readonly text: string }
  | { readonly type: 'end'; readonly id: number; readonly result: LlamaResult }
  | { readonly type: 'failed'; readonly id: number; readonly reason: string };

/** The start of the child process, as its only argument, in JSON. */
export interface LlamaStart {
  /** URL of the package's entry. */
  readonly library: string;
  /** Path of a GGUF file. */
  readonly model: string;
  readonly contextSize: number;
  readonly slots: number;
  readonly threads: number;
}
