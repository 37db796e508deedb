import type { ModuleMetadata, Type } from '@nestjs/common';
import { markedNames, markMethod } from '../platform/extension-points/index.js';
import { COMMANDS, type Terminal } from 'avatar-chat-command-line';

const CLI_COMMAND = Symbol('command of the command line');
const NAME = /^[a-z][a-z0-9-]{0,31}( [a-z][a-z0-9-]{0,31})?$/;

/** A method marked with {@link CliCommand}: gets the words after the command's name, and may return an exit status. */
export type CommandMethod = (args: readonly string[], terminal: Terminal) => number | void | Promise<number | void>;

/**
 * Makes a method of a provider a command of the command line. If it throws, the exit status is 1.
 *
 * @param name one or two words, such as `ratings recount`
 * @throws Error if the name is invalid or is a command of the service
 * @example
 * @CliCommand('ratings recount')
 * async recount(args: readonly string[], terminal: Terminal): Promise<void> {
 *   await terminal.print(`${await this.ratings.recount()}\n`);
 * }
 */
export function CliCommand(name: string) {
  if (!NAME.test(name)) throw new Error(`@CliCommand('${name}') needs one or two words of a-z, 0-9 and hyphens.`);
  if (Object.hasOwn(COMMANDS, name)) throw new Error(`@CliCommand('${name}'): the service has that command.`);
  return <M extends CommandMethod>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<M>,
  ): void => {
    markMethod(CLI_COMMAND, name)(target, key, descriptor as TypedPropertyDescriptor<unknown>);
  };
}

/** The class and method of a module's command. */
export interface ModuleCommand {
  readonly name: string;
  readonly provider: Type;
  readonly method: string;
}

/** The commands of modules, discovered without instantiating them. */
export async function commandsOf(modules: NonNullable<ModuleMetadata['imports']>): Promise<ModuleCommand[]> {
  const found = new Map<string, ModuleCommand>();
  for (const provider of await providersOf(modules)) {
    for (const [method, name] of markedNames(CLI_COMMAND, provider)) found.set(name, { name, provider, method });
  }
  return [...found.values()];
}

/** The command that a call names, and the remaining words. */
export function commandIn(commands: readonly ModuleCommand[], args: readonly string[]) {
  for (const words of [2, 1]) {
    const command = commands.find(({ name }) => name === args.slice(0, words).join(' '));
    if (command) return { command, rest: args.slice(words) };
  }
  return undefined;
}

async function providersOf(modules: readonly unknown[], seen = new Set<unknown>()): Promise<Type[]> {
  const found: Type[] = [];
  for (const given of modules) {
    const resolved = await given;
    const forwarded = (resolved as { forwardRef?: () => unknown } | undefined)?.forwardRef?.() ?? resolved;
    const dynamic = forwarded as { module?: Type; imports?: unknown[]; providers?: unknown[] } | Type | undefined;
    const type = typeof dynamic === 'function' ? dynamic : dynamic?.module;
    if (typeof type !== 'function' || seen.has(type)) continue;
    seen.add(type);
    const own = typeof dynamic === 'function' ? undefined : dynamic;
    const all = (key: 'imports' | 'providers') => [
      ...((Reflect.getMetadata(key, type) as unknown[] | undefined) ?? []),
      ...(own?.[key] ?? []),
    ];
    for (const provider of all('providers')) {
      const { useClass, provide } = provider as { useClass?: unknown; provide?: unknown };
      const candidate = typeof provider === 'function' ? provider : (useClass ?? provide);
      if (typeof candidate === 'function' && candidate.prototype) found.push(candidate as Type);
    }
    found.push(...(await providersOf(all('imports'), seen)));
  }
  return found;
}
