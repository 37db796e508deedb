import { Injectable } from '@nestjs/common';
import { type Avatar, type CatalogueFault, type Project } from 'avatar-chat-catalogue';
import { CatalogueService } from '../catalogue/index.js';
import { checkOrFault } from 'avatar-chat-models';
import { ToolRegistry } from '../engines/index.js';
import { isProviderKeyName } from 'avatar-chat-settings';
import { outgoingUrlFault } from 'avatar-chat-runtime';
import { Config } from '../platform/config/index.js';

const VARIABLE_RULE = 'must be OPENAI_API_KEY, begin with PROVIDER_, or be one of CATALOGUE_SECRETS';

type Tooled = Pick<Project, 'tool_servers' | 'webhook_tools' | 'handover'>;

/** Checks the tools of catalogues. No server is asked. */
@Injectable()
export class ToolEntries {
  constructor(
    catalogue: CatalogueService,
    private readonly config: Config,
    private readonly registry: ToolRegistry,
  ) {
    catalogue.addCheck(({ avatars, projects }, after) => {
      const avatarOf = new Map(after.avatars.map((avatar) => [avatar._id, avatar]));
      const faults = projects.flatMap((project, index) => this.faultsOf(project, `projects[${index}]`));
      for (const project of after.projects) {
        const index = projects.indexOf(project);
        project.avatars.forEach((id, position) => {
          const avatar = avatarOf.get(id);
          if (!avatar || (index < 0 && !avatars.includes(avatar))) return;
          for (const problem of this.lacking(avatar, project))
            faults.push(
              index < 0
                ? {
                    place: `avatars[${avatars.indexOf(avatar)}].engine.tools`,
                    problem: `the project ${project.project_id} ${problem}`,
                  }
                : {
                    place: `projects[${index}].avatars[${position}]`,
                    problem: `for its tools, the project ${problem}`,
                  },
            );
        });
      }
      return faults;
    });
  }

  private faultsOf({ tool_servers = [], webhook_tools = [], handover }: Tooled, place: string): CatalogueFault[] {
    const faults: CatalogueFault[] = [];
    const names = new Map<string, string>();
    const check = (at: string, { name, url }: { name: string; url: string }, field: string, variable?: string) => {
      const other = names.get(name) ?? (this.registry.isOfModule(name) ? 'a tool of a module' : undefined);
      if (other !== undefined) faults.push({ place: `${place}.${at}.name`, problem: `repeats that of ${other}` });
      else names.set(name, at);
      const problem = outgoingUrlFault(url, this.config, { allowsQuery: true });
      if (problem !== undefined) faults.push({ place: `${place}.${at}.url`, problem });
      if (variable !== undefined && !isProviderKeyName(variable, this.config.catalogueSecrets))
        faults.push({ place: `${place}.${at}.${field}`, problem: VARIABLE_RULE });
    };
    tool_servers.forEach((server, index) =>
      check(`tool_servers[${index}]`, server, 'authorization_env', server.authorization_env),
    );
    // Those of servers have another name for the model.
    if (handover?.enabled) names.set('hand_over', 'the tool that hands over');
    webhook_tools.forEach((tool, index) => {
      const at = `webhook_tools[${index}]`;
      check(at, tool, 'secret_env', tool.secret_env);
      const problem = checkOrFault(tool.parameters);
      if (typeof problem === 'string') faults.push({ place: `${place}.${at}.parameters`, problem });
    });
    return faults;
  }

  /** What a project lacks for the tools of an avatar. */
  private lacking({ engine }: Pick<Avatar, 'engine'>, { tool_servers = [], webhook_tools = [] }: Tooled): string[] {
    const names = Array.isArray(engine.tools) ? (engine.tools as unknown[]) : [];
    const problems = names.map((name) => {
      if (typeof name !== 'string' || this.registry.isOfModule(name)) return undefined;
      const [server = '', ...rest] = name.split('.');
      if (rest.length === 0)
        return webhook_tools.some((tool) => tool.name === name) ? undefined : `has no tool ${JSON.stringify(name)}`;
      const found = tool_servers.find((one) => one.name === server);
      if (!found) return `has no tool server ${JSON.stringify(server)}`;
      const tool = rest.join('.');
      return tool === '*' || (found.allow?.includes(tool) ?? true)
        ? undefined
        : `does not allow ${JSON.stringify(tool)} of its tool server ${server}`;
    });
    return [...new Set(problems.filter((problem) => problem !== undefined))] as string[];
  }
}
