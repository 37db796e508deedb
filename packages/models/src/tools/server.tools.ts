import { setImmediate as afterOtherWork } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Clock, type McpConnection, McpError, mcpReasonOf, type McpToolResult } from 'avatar-chat-runtime';
import type { ToolServer } from 'avatar-chat-catalogue';
import { type ArgumentsCheck, checkOrFault } from './arguments.check.js';
import { parseExactly } from './exact.json.js';
import { type OfferedTool, ToolError } from './tool.sources.js';

/** How long a list is used before it is asked for again, and how long a server that is down is not asked. */
const [LIST_MS, REST_MS] = [10_000, 30_000];
/** Timeout of a try, and time for the checks of arguments in it. */
const [TRY_MS, CHECKS_MS] = [5000, 2000];
const NAME = /^[A-Za-z0-9_.-]{1,64}$/;
const MAX_DESCRIPTION = 1024;
const MAX_TOLD = 2000;

/** What a server offers, as far as avatars may have it. */
export interface ServerList {
  readonly tools: readonly OfferedTool[];
  /** Tools that no model can be offered, and why. */
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
}

/** The tools of one server of one project. */
export class ServerTools {
  private listed?: ServerList;
  /** By the schemas of the last list: to compile one takes up to a second. */
  private checks = new Map<string, ArgumentsCheck | string>();
  private listedAt = -Infinity;
  private restUntil = -Infinity;
  private lastReason = '';
  private trying?: Promise<ServerList>;

  /** @param onDown learns why the server cannot be used, once for each rest */
  constructor(
    private readonly server: ToolServer,
    private readonly connection: McpConnection,
    private readonly clock: Clock,
    private readonly onDown: (reason: string) => void,
  ) {}

  close(): void {
    this.connection.close();
  }

  /** Asks the server, unless it was asked a moment ago. @throws McpError if it cannot be used now */
  async list(): Promise<ServerList> {
    const now = this.clock.monotonic();
    if (this.listed && now - this.listedAt < LIST_MS) return this.listed;
    if (now < this.restUntil) throw new McpError(this.lastReason);
    return (this.trying ??= this.ask().finally(() => (this.trying = undefined)));
  }

  private async ask(): Promise<ServerList> {
    // Not AbortSignal.timeout: one that only others listen to may be garbage-collected.
    const limit = new AbortController();
    const late = new McpError(`it does not answer within ${TRY_MS / 1000} s`);
    const timer = setTimeout(() => limit.abort(late), TRY_MS);
    try {
      this.listed = await this.read(await this.connection.listTools(limit.signal));
      this.listedAt = this.clock.monotonic();
      return this.listed;
    } catch (error) {
      this.connection.close();
      this.listed = undefined;
      this.lastReason = mcpReasonOf(limit.signal.aborted ? late : error);
      this.restUntil = this.clock.monotonic() + REST_MS;
      this.onDown(this.lastReason);
      throw new McpError(this.lastReason);
    } finally {
      clearTimeout(timer);
    }
  }

  private async read(found: readonly unknown[]): Promise<ServerList> {
    const checkFor = this.checker();
    const tools = new Map<string, OfferedTool>();
    const leftOut: { name: string; reason: string }[] = [];
    for (const one of found) {
      const { name: given, description: told, inputSchema = null } = { ...(one as Record<string, unknown>) };
      const name = typeof given === 'string' ? given : '';
      if (this.server.allow && !this.server.allow.includes(name)) continue;
      const check = faultOf(name, tools) ?? (await checkFor(inputSchema));
      if (typeof check === 'string') leftOut.push({ name, reason: check });
      else
        tools.set(name, {
          name: `${this.server.name}.${name}`,
          description: ((typeof told === 'string' && told.trim()) || name).slice(0, MAX_DESCRIPTION).toWellFormed(),
          parameters: inputSchema as Record<string, unknown>,
          source: 'server',
          check,
          run: (_, { signal }, json) => this.call(name, json, signal),
        });
    }
    for (const name of this.server.allow ?? [])
      if (!tools.has(name) && !leftOut.some((one) => one.name === name))
        leftOut.push({ name, reason: 'the server does not have it' });
    return { tools: [...tools.values()], leftOut };
  }

  /** Returns the check for a schema, or why there is none. A server cannot hold up the process by what it lists. */
  private checker(): (schema: unknown) => Promise<ArgumentsCheck | string> {
    const known = this.checks;
    const checks = (this.checks = new Map());
    let spentMs = 0;
    return async (schema) => {
      const json = JSON.stringify(schema);
      let check = checks.get(json) ?? known.get(json);
      if (!check && spentMs > CHECKS_MS) return 'its arguments could not be checked in time';
      if (!check) {
        await afterOtherWork();
        const began = performance.now();
        check = checkOrFault(schema);
        spentMs += performance.now() - began;
      }
      checks.set(json, check);
      return typeof check === 'string' ? `its arguments ${check}` : check;
    };
  }

  private async call(name: string, args: string, signal: AbortSignal): Promise<unknown> {
    let result: McpToolResult;
    try {
      result = await this.connection.callTool(name, args, signal);
    } catch (error) {
      // The list may have changed, or the server may be down: the next turn finds out.
      this.listedAt = -Infinity;
      if (/too long/.test((error as Error).message)) throw new ToolError('result_too_large');
      throw signal.aborted ? error : new ToolError();
    }
    return valueOf(result);
  }
}

function faultOf(name: string, others: ReadonlyMap<string, unknown>): string | undefined {
  if (!NAME.test(name)) return 'its name is not one of 1-64 of A-Z, a-z, 0-9, _, . and -';
  return others.has(name) ? 'its name is there twice' : undefined;
}

/** What a model gets of a result. @throws ToolError with the server's words if the call failed */
function valueOf({ content = [], structuredContent, isError }: McpToolResult): unknown {
  const text = content.map((part) => textOf(part as { type: string })).join('\n');
  if (isError) throw new ToolError('tool_failed', text.slice(0, MAX_TOLD).toWellFormed());
  if (structuredContent === undefined && content.length === 0) return null;
  try {
    const value = parseExactly(text);
    // The text has the same, with all digits, or is for people.
    if (structuredContent !== undefined) {
      return isDeepStrictEqual(JSON.parse(text), structuredContent) ? value : structuredContent;
    }
    // "1.10" may be a version, and "1e5" the number of an order.
    return typeof value === 'number' ? text : value;
  } catch {
    return structuredContent ?? text;
  }
}

function textOf(part: { type: string; text?: unknown; uri?: unknown; resource?: { text?: unknown } }): string {
  const text = part.text ?? part.resource?.text ?? part.uri;
  return typeof text === 'string' ? text : `[${part.type}]`;
}
