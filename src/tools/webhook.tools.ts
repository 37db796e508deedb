import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { OutgoingHttp, traceparent } from 'avatar-chat-runtime';
import type { Project, WebhookTool } from 'avatar-chat-catalogue';
import { type ArgumentsCheck, argumentsCheck, type OfferedTool, ToolError, type ToolTurn } from 'avatar-chat-models';
import { isProviderKeyName } from 'avatar-chat-settings';
import { Clock, Config } from '../platform/config/index.js';
import { loggerOf } from '../platform/logging/index.js';
import { derivedSecret, readSecrets, signatureOf } from '../webhooks/index.js';

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
@Injectable()
export class WebhookTools {
  private readonly logger = loggerOf(WebhookTools.name);
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
    const run = (args: unknown, turn: ToolTurn) => this.call(project, tool, args, turn);
    return { name, description, parameters, source: 'webhook', check, run };
  }

  private async call(project: Project, tool: WebhookTool, args: unknown, turn: ToolTurn): Promise<unknown> {
    const { project_id, user_id, avatar, message_id, attempt } = turn;
    const call = { tool: tool.name, arguments: args, project_id, user_id, avatar_id: avatar._id, message_id, attempt };
    const [id, timestamp, body] = [`tool_${randomUUID()}`, Math.floor(this.clock.now() / 1000), JSON.stringify(call)];
    const keys = readSecrets(this.secretsOf(project, tool));
    if (!keys) throw this.failed(project, tool, `${tool.secret_env} has no valid secret`);
    const answer = await this.http.open(new URL(tool.url), {
      signal: turn.signal,
      body,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'avatar-chat-service',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': signatureOf(id, timestamp, body, keys),
        traceparent: traceparent(),
      },
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
    if (status < 200 || status > 299) throw this.failed(project, tool, `its server answered with ${status}`);
    const text = Buffer.concat(parts).toString();
    try {
      return text.trim() === '' ? null : (JSON.parse(text) as unknown);
    } catch {
      throw this.failed(project, tool, 'its server answered with something else than JSON');
    }
  }

  /** Checked again here, since the entry may be older than the rule. */
  private secretsOf(project: Project, tool: WebhookTool): string {
    const { secret_env } = tool;
    if (secret_env === undefined) return secretOf(project, tool);
    return isProviderKeyName(secret_env, this.config.catalogueSecrets) ? (this.config.secret(secret_env) ?? '') : '';
  }

  private failed({ project_id }: Project, { name }: WebhookTool, reason: string): ToolError {
    this.logger.warn(`The webhook tool ${name} of the project ${project_id} failed: ${reason}`);
    return new ToolError();
  }
}
