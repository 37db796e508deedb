import { createHash } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { type FieldRule } from 'avatar-chat-catalogue';
import { findProviders } from '../../platform/extension-points/index.js';
import { describeError, loggerOf } from '../../platform/logging/index.js';
import {
  type EngineTurn,
  argumentsCheck,
  EngineTool,
  type OfferedTool,
  ToolSource,
  type TurnTools,
} from 'avatar-chat-models';

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** A tool of a project, or all of one of its servers. */
const PROJECT_NAME = /^[a-z][a-z0-9_]{0,63}(\.(\*|[A-Za-z0-9_.-]{1,64}))?$/;
const MAX_DESCRIPTION = 1024;
/** Maximum number of entries of one avatar, and of tools that they stand for: models take no more. */
const MAX_TOOLS = 32;
const MAX_OFFERED = 128;
const MAX_MODEL_NAME = 64;
const DIGEST = 8;

/** Every {@link EngineTool} by its name, and the tools of projects. */
@Injectable()
export class ToolRegistry implements OnModuleInit {
  private readonly logger = loggerOf(ToolRegistry.name);
  private known?: ReadonlyMap<string, OfferedTool>;
  private foundSources?: readonly ToolSource[];

  constructor(private readonly discovery: DiscoveryService) {}

  /** @internal Fails the start if a tool cannot be offered to a model. */
  onModuleInit(): void {
    this.all();
  }

  /** The rule of an engine entry's `tools`. Whether a project has its tools is not checked here. */
  get rule(): FieldRule {
    const known = [...this.all().keys()].sort().join(', ') || 'none: no module brings one';
    const isKnown = (name: unknown) =>
      typeof name === 'string' && (this.isOfModule(name) || (this.sources.length > 0 && PROJECT_NAME.test(name)));
    return [
      (value) =>
        Array.isArray(value) &&
        value.length <= MAX_TOOLS &&
        new Set(value).size === value.length &&
        value.every(isKnown),
      `must be a list of up to ${MAX_TOOLS} different tools, of those that there are: ${known}${
        this.sources.length > 0
          ? "; or of the project's webhook tools and tool servers, as SERVER.TOOL or SERVER.*"
          : ''
      }`,
    ];
  }

  /** Whether a module brings a tool of this name. */
  isOfModule(name: string): boolean {
    return this.all().has(name);
  }

  /** The tools that an avatar names, which {@link rule} has validated. Never rejects. */
  async find(turn: Pick<EngineTurn, 'project_id' | 'signal'>, names: readonly string[]): Promise<TurnTools> {
    const tools = new Map([...this.all()].filter(([name]) => names.includes(name)));
    const others = names.filter((name) => !this.isOfModule(name));
    if (others.length === 0) return { tools, remarks: [] };
    const found = await Promise.all(
      this.sources.map((source) =>
        source.findTools(turn, others).catch((error: unknown) => {
          this.logger.warn({ source: source.constructor.name, ...describeError(error) });
          return { tools: [], remarks: [] };
        }),
      ),
    );
    for (const tool of found.flatMap((one) => one.tools))
      if (tools.size < MAX_OFFERED) tools.set(modelName(tool.name, tools), tool);
    return { tools, remarks: found.flatMap(({ remarks }) => remarks) };
  }

  // Not in the constructor: the providers of other modules may not exist yet.
  private all(): ReadonlyMap<string, OfferedTool> {
    if (this.known) return this.known;
    const known = new Map<string, OfferedTool>();
    const types = new Map<string, string>();
    for (const tool of findProviders(this.discovery, EngineTool)) {
      const { name, description, parameters, constructor: type } = tool;
      const fault = faultOf(tool);
      if (fault) throw new Error(`The tool ${type.name} has ${fault}.`);
      const other = types.get(name);
      if (other !== undefined) throw new Error(`Two providers are the tool '${name}': ${other}, ${type.name}.`);
      types.set(name, type.name);
      try {
        const check = argumentsCheck(parameters);
        const run: OfferedTool['run'] = (args, turn) => tool.run(args, turn);
        known.set(name, { name, description, parameters, source: 'module', check, run });
      } catch (error) {
        throw new Error(`The tool ${type.name} has ${(error as Error).message}`, { cause: error });
      }
    }
    return (this.known = known);
  }

  private get sources(): readonly ToolSource[] {
    return (this.foundSources ??= findProviders(this.discovery, ToolSource));
  }
}

/** For engines created without modules. */
export const NO_TOOLS = new ToolRegistry({ getProviders: () => [] } as unknown as DiscoveryService);

function faultOf({ name, description }: EngineTool): string | undefined {
  if (typeof name !== 'string' || !NAME.test(name)) return 'no name, or not one of 1-64 of A-Z, a-z, 0-9, _ and -';
  if (typeof description !== 'string' || !description.trim() || description.length > MAX_DESCRIPTION)
    return `no description, or not one of 1-${MAX_DESCRIPTION} characters`;
  return undefined;
}

/** The name under which a model sees a tool: `crm-find_order`; with a digest if it is too long, or taken. */
export function modelName(name: string, taken: { has(name: string): boolean }): string {
  const plain = name.replace(/[^A-Za-z0-9_-]/g, '-');
  if (plain.length <= MAX_MODEL_NAME && !taken.has(plain)) return plain;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, DIGEST);
  return `${plain.slice(0, MAX_MODEL_NAME - DIGEST - 1)}-${digest}`;
}
