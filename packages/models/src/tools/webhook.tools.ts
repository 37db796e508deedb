import { randomUUID } from 'node:crypto';
import {
  type Clock,
  derivedSecret,
  type OutgoingHttp,
  readSecrets,
  signedHeaders,
  traceparent,
} from 'avatar-chat-runtime';
import type { Project, WebhookTool } from 'avatar-chat-catalogue';
import { type Config, isProviderKeyName } from 'avatar-chat-settings';
import { type ArgumentsCheck, argumentsCheck } from './arguments.check.js';
import type { ToolTurn } from './engine-tool.js';
import { parseExactly } from './exact.json.js';
import { type OfferedTool, ToolError } from './tool.sources.js';

/** Maximum size of an answer, in bytes. */
const MAX_ANSWER_BYTES = 16 * 1024;

/** A project's webhook tools, each with its derived secret, unless a variable holds its own. */
export function withToolSecrets(project: Project): (WebhookTool & { secret?: string })[] {
  return (project.webhook_tools ?? []).map((tool) =>
    tool.secret_env === undefined ? { ...tool, secret: secretOf(project, tool) } : tool,
  );
}

function secretOf(project: Project, { name }: WebhookTool): string {
  return derivedSecret(project, `tool ${name}`);
}

/** Tools that are requests to servers of the operator's, signed as webhooks are. Redirects are not followed. */
export class WebhookTools {
  private readonly checks = new WeakMap<WebhookTool, ArgumentsCheck>();

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly http: OutgoingHttp,
  ) {}

  offer(project: Project, tool: WebhookTool): OfferedTool {
    const { name, description, parameters } = tool;
    const check = this.checks.get(tool) ?? argumentsCheck(parameters);
    this.checks.set(tool, check);
    const run: OfferedTool['run'] = (_, turn, json) => this.call(project, tool, json, turn);
    return { name, description, parameters, source: 'webhook', check, run };
  }

  private async call(project: Project, tool: WebhookTool, args: string, turn: ToolTurn): Promise<unknown> {
    const { project_id, user_id, avatar, message_id, attempt } = turn;
    const about = JSON.stringify({ project_id, user_id, avatar_id: avatar._id, message_id, attempt });
    const body = `{"tool":${JSON.stringify(tool.name)},"arguments":${args},${about.slice(1)}`;
    const now = this.clock.now();
    const keys = readSecrets(this.secretsOf(project, tool));
    if (!keys) throw failed(`${tool.secret_env} has no valid secret`);
    const answer = await this.http.open(new URL(tool.url), {
      signal: turn.signal,
      body,
      headers: { ...signedHeaders(`tool_${randomUUID()}`, now, body, keys), traceparent: traceparent() },
    });
    const { statusCode: status = 0 } = answer;
    const parts: Buffer[] = [];
    let bytes = 0;
    // Ending the loop early closes the connection.
    for await (const part of answer as AsyncIterable<Buffer>) {
      if (status < 200 || status > 299) break;
      parts.push(part);
      if ((bytes += part.length) > MAX_ANSWER_BYTES) throw new ToolError('result_too_large');
    }
    if (status < 200 || status > 299) throw failed(`its server answered with ${status}`);
    const text = new TextDecoder().decode(Buffer.concat(parts));
    try {
      return text.trim() === '' ? null : parseExactly(text);
    } catch {
      throw failed('its server answered with something else than JSON');
    }
  }

  /** Checked again here, since the entry may be older than the rule. */
  private secretsOf(project: Project, tool: WebhookTool): string {
    const { secret_env } = tool;
    if (secret_env === undefined) return secretOf(project, tool);
    return isProviderKeyName(secret_env, this.config.catalogueSecrets) ? (this.config.secret(secret_env) ?? '') : '';
  }
}

function failed(reason: string): ToolError {
  return new ToolError('tool_failed', undefined, reason);
}
