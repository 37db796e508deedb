import { Injectable } from '@nestjs/common';
import { untilAborted } from 'avatar-chat-runtime';
import { mcpReasonOf } from 'avatar-chat-runtime';
import { type ToolServer } from 'avatar-chat-catalogue';
import { CatalogueService } from '../catalogue/index.js';
import {
  type EngineTurn,
  type FoundTools,
  type OfferedTool,
  type ServerList,
  ToolServers,
  ToolSource,
  WebhookTools,
} from 'avatar-chat-models';
import { failure } from '../platform/errors/index.js';

/** The tools of a server or, if it cannot be used, the reason. */
export interface ListedTools extends Partial<ServerList> {
  readonly server?: string;
  readonly reason?: string;
}

/** The tools of a project: those of its servers, and its webhook tools. */
@Injectable()
export class ProjectTools extends ToolSource {
  constructor(
    private readonly catalogue: CatalogueService,
    private readonly servers: ToolServers,
    private readonly webhooks: WebhookTools,
  ) {
    super();
  }

  async findTools(
    { project_id, signal }: Pick<EngineTurn, 'project_id' | 'signal'>,
    names: readonly string[],
  ): Promise<FoundTools> {
    const project = await this.catalogue.findProject(project_id);
    if (!project) return { tools: [], remarks: [] };
    const { tool_servers = [], webhook_tools = [] } = project;
    const tools: OfferedTool[] = webhook_tools
      .filter(({ name }) => names.includes(name))
      .map((tool) => this.webhooks.offer(project, tool));
    const remarks: string[] = [];
    const named = tool_servers.filter(({ name }) => names.some((one) => one.startsWith(`${name}.`)));
    const lists = await Promise.all(named.map((server) => this.listOf(project_id, server, signal)));
    lists.forEach(({ tools: found }, index) => {
      const { name: server } = named[index]!;
      if (!found) remarks.push(`The tools of ${server} are not available now.`);
      else tools.push(...found.filter(({ name }) => names.includes(name) || names.includes(`${server}.*`)));
    });
    return { tools, remarks };
  }

  /** Asks all servers of a project, and lists its webhook tools last. @throws ServiceError `project_not_found` */
  async list(project_id: string): Promise<ListedTools[]> {
    const project = await this.catalogue.findProject(project_id);
    if (!project) throw failure('unknown_project');
    const { tool_servers = [], webhook_tools = [] } = project;
    const { signal } = new AbortController();
    const lists = await Promise.all(tool_servers.map((server) => this.listOf(project_id, server, signal)));
    return [...lists, { tools: webhook_tools.map((tool) => this.webhooks.offer(project, tool)) }];
  }

  /** Bounded in time; ends earlier with the signal. Never rejects. */
  private async listOf(project_id: string, server: ToolServer, signal: AbortSignal): Promise<ListedTools> {
    try {
      const list = await untilAborted(this.servers.find(project_id, server).list(), signal);
      return { server: server.name, ...list };
    } catch (error) {
      return { server: server.name, reason: mcpReasonOf(error) };
    }
  }
}
