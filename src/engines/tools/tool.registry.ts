import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { Ajv, type ValidateFunction } from 'ajv';
import { type FieldRule, findProviders } from '../../platform/extension-points/index.js';
import { EngineTool } from './engine-tool.js';

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const MAX_DESCRIPTION = 1024;
/** Maximum number of tools of one avatar. */
const MAX_TOOLS = 32;

/** A tool and the validator of its arguments. */
export interface KnownTool {
  readonly tool: EngineTool;
  readonly validate: ValidateFunction;
}

/** Every {@link EngineTool} by its name. */
@Injectable()
export class ToolRegistry implements OnModuleInit {
  private known?: ReadonlyMap<string, KnownTool>;

  constructor(private readonly discovery: DiscoveryService) {}

  /** @internal Fails the start if a tool cannot be offered to a model. */
  onModuleInit(): void {
    this.all();
  }

  /** The rule of an engine entry's `tools`. */
  get rule(): FieldRule {
    const known = [...this.all().keys()].sort().join(', ') || 'none: no module brings one';
    return [
      (value) =>
        Array.isArray(value) &&
        value.length <= MAX_TOOLS &&
        new Set(value).size === value.length &&
        value.every((name) => this.all().has(name as string)),
      `must be a list of up to ${MAX_TOOLS} different tools, of those that there are: ${known}`,
    ];
  }

  /** The tools with these names, which {@link rule} has validated. */
  named(names: readonly string[]): ReadonlyMap<string, KnownTool> {
    return new Map([...this.all()].filter(([name]) => names.includes(name)));
  }

  // Not in the constructor: the providers of other modules may not exist yet.
  private all(): ReadonlyMap<string, KnownTool> {
    if (this.known) return this.known;
    const known = new Map<string, KnownTool>();
    const ajv = new Ajv({ strict: false, validateFormats: false, logger: false });
    for (const tool of findProviders(this.discovery, EngineTool)) {
      const { name, constructor: type } = tool;
      const fault = faultOf(tool);
      if (fault) throw new Error(`The tool ${type.name} has ${fault}.`);
      const other = known.get(name)?.tool.constructor.name;
      if (other !== undefined) throw new Error(`Two providers are the tool '${name}': ${other}, ${type.name}.`);
      try {
        known.set(name, { tool, validate: ajv.compile(tool.parameters) });
      } catch (error) {
        throw new Error(`The tool ${type.name} has parameters that are no JSON Schema: ${(error as Error).message}`, {
          cause: error,
        });
      }
    }
    return (this.known = known);
  }
}

/** For engines created without modules. */
export const NO_TOOLS = new ToolRegistry({ getProviders: () => [] } as unknown as DiscoveryService);

function faultOf({ name, description, parameters }: EngineTool): string | undefined {
  if (typeof name !== 'string' || !NAME.test(name)) return 'no name, or not one of 1-64 of A-Z, a-z, 0-9, _ and -';
  if (typeof description !== 'string' || !description.trim() || description.length > MAX_DESCRIPTION)
    return `no description, or not one of 1-${MAX_DESCRIPTION} characters`;
  return parameters?.type === 'object' ? undefined : 'parameters whose type is not "object"';
}
