import {
  type Clock,
  type LoggerOf,
  McpConnection,
  McpError,
  type OutgoingHttp,
  type PartLogger,
} from 'avatar-chat-runtime';
import type { ToolServer } from 'avatar-chat-catalogue';
import { type Config, isProviderKeyName } from 'avatar-chat-settings';
import { ServerTools } from './server.tools.js';

/** Maximum number of servers that are connected; the one that was used longest ago gives way. */
const MAX_CONNECTED = 200;

/** The tool servers of all projects. Two projects share nothing, even if they name the same server. */
export class ToolServers {
  private readonly logger: PartLogger;
  private readonly known = new Map<string, ServerTools>();

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly http: OutgoingHttp,
    loggerOf: LoggerOf,
  ) {
    this.logger = loggerOf(ToolServers.name);
  }

  /** @internal Nest calls it. */
  onApplicationShutdown(): void {
    for (const server of this.known.values()) server.close();
  }

  find(project_id: string, server: ToolServer): ServerTools {
    const { name, url } = server;
    const key = JSON.stringify([project_id, server]);
    const found =
      this.known.get(key) ??
      new ServerTools(
        server,
        new McpConnection(this.http, new URL(url), () => this.authorizationOf(server)),
        this.clock,
        (reason) =>
          this.logger.warn(`The tool server ${name} of the project ${project_id} is not available: ${reason}`),
      );
    this.known.delete(key);
    this.known.set(key, found);
    for (const [oldest, one] of this.known) {
      if (this.known.size <= MAX_CONNECTED) break;
      this.known.delete(oldest);
      one.close();
    }
    return found;
  }

  private authorizationOf({ authorization_env: name }: ToolServer): string | undefined {
    if (name === undefined) return undefined;
    // Checked again here, since the entry may be older than the rule.
    const value = isProviderKeyName(name, this.config.catalogueSecrets) ? this.config.secret(name) : undefined;
    if (value === undefined) throw new McpError(`the variable ${name} is not set`);
    return value.includes(' ') ? value : `Bearer ${value}`;
  }
}
