import { type Fields, invalid, listOf, objectOf, textOf } from './session.fields.js';

/** Maximum number of tools, and of bytes of all of them as JSON. */
const MAX_TOOLS = 32;
const MAX_BYTES = 16 * 1024;
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** A function that the client runs if a model calls it. */
export interface ClientTool {
  readonly type: 'function';
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly parameters: Fields;
}

/** `auto`, `none`, `required`, or the function that must be called. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly type: 'function'; readonly name: string };

/** The functions among a client's tools; those of other types have no effect. @throws LiveError */
export function clientToolsOf(value: unknown): readonly ClientTool[] | undefined {
  const given = listOf(value, 'tools');
  if (!given) return undefined;
  const tools = given.flatMap((one) => {
    const tool = objectOf(one, 'tools[]');
    if (tool?.type !== 'function') return [];
    const { description = '', parameters } = tool;
    const name = textOf(tool.name, 'tools.name');
    if (name === undefined || !NAME.test(name)) throw invalid('tools.name', 'must be 1 to 64 of A-Z a-z 0-9 _ -');
    const schema = objectOf(parameters, 'tools.parameters') ?? { type: 'object', properties: {} };
    return [
      {
        type: 'function' as const,
        name,
        description: textOf(description, 'tools.description') ?? '',
        parameters: schema,
      },
    ];
  });
  if (tools.length > MAX_TOOLS) throw invalid('tools', `must have at most ${MAX_TOOLS} entries`);
  if (Buffer.byteLength(JSON.stringify(tools)) > MAX_BYTES) throw invalid('tools', 'must have at most 16 KiB');
  return tools;
}

/** @throws LiveError */
export function toolChoiceOf(value: unknown): ToolChoice | undefined {
  if (value === undefined || value === null) return undefined;
  if (value === 'auto' || value === 'none' || value === 'required') return value;
  const { type, name } = typeof value === 'object' ? (value as Fields) : {};
  // Tools of other types do not exist here.
  if (type === 'function' && typeof name === 'string') return { type, name };
  if (typeof type === 'string') return 'auto';
  throw invalid('tool_choice', 'must be "auto", "none", "required" or a function');
}
