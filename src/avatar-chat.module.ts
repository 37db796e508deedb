import { assertKnownOptions, assertModules } from 'avatar-chat-runtime';
import {
  type BeforeApplicationShutdown,
  type DynamicModule,
  type FactoryProvider,
  Inject,
  Module,
  type ModuleMetadata,
  type OnApplicationShutdown,
  type OnModuleInit,
  type Type,
} from '@nestjs/common';
import { DiscoveryModule, HttpAdapterHost, Reflector } from '@nestjs/core';
import { AdminService } from './admin/index.js';
import { AuthService, JwtGuard } from './auth/index.js';
import { CatalogueService } from './catalogue/index.js';
import { ChatService, TurnService } from './chat/index.js';
import { configFromSettings, assertUsableSettings, loadConfig, type SettingsObject } from 'avatar-chat-settings';
import { Config } from './platform/config/index.js';
import { Metrics } from './platform/metrics/index.js';
import { PublicUrl } from './platform/http/index.js';
import { MountedService } from './mounted-service.js';

type Modules = NonNullable<ModuleMetadata['imports']>;

export interface AvatarChatOptions {
  /** Path prefix of the service: `talk/v1`, without a leading slash. Omitted: no prefix. */
  prefix?: string;
  /** Settings by name, instead of the environment. Without `NODE_ENV`, production defaults apply. */
  settings?: SettingsObject;
  /** Modules of the service: with routes under its prefix, engines, event listeners. */
  modules?: Modules;
}

export interface AvatarChatAsyncOptions extends Pick<AvatarChatOptions, 'prefix' | 'modules'> {
  imports?: Modules;
  inject?: FactoryProvider['inject'];
  /** Returns {@link AvatarChatOptions}; its modules are added. */
  useFactory(...injected: never[]): Given | Promise<Given>;
}

type Given = Pick<AvatarChatOptions, 'settings' | 'modules'>;

const GIVEN = Symbol('given options of the avatar chat');
const PREFIX = /^[A-Za-z0-9_~-][A-Za-z0-9._~-]*(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*$/;

/** Nest instantiates a guard in each module that names it, and needs its dependencies there. */
const PARTS_OF_GUARD = (Reflect.getMetadata('design:paramtypes', JwtGuard) as Type[]).filter(
  (type) => type !== Reflector,
);

/** Providers that the host may inject: the service's own instances. */
const EXPORTS = [
  AdminService,
  AuthService,
  CatalogueService,
  ChatService,
  JwtGuard,
  ...PARTS_OF_GUARD,
  Metrics,
  PublicUrl,
  TurnService,
];

/**
 * The service within an existing Nest application, on Fastify or Express: under a prefix, with its own guards,
 * validation, errors, CORS and limits, none of which apply outside the prefix. Its providers can be injected anywhere
 * in the host.
 *
 * @example
 * @Module({ imports: [AvatarChatModule.forRoot({ prefix: 'talk/v1' })] })
 * export class HostModule {}
 */
@Module({})
export class AvatarChatModule implements OnModuleInit, BeforeApplicationShutdown, OnApplicationShutdown {
  constructor(@Inject(MountedService) private readonly service: MountedService) {}

  /** @throws Error for unknown or invalid options and settings, naming them */
  static forRoot(options: AvatarChatOptions = {}): DynamicModule {
    const place = 'AvatarChatModule.forRoot()';
    withoutStack(() => assertKnownOptions(place, options, ['prefix', 'settings', 'modules']));
    const { prefix, settings, modules = [] } = options;
    withoutStack(() => assertModules(`modules of ${place}`, modules));
    if (settings) assertUsableSettings(settings);
    // A generated secret is stored when the application starts, not when the module is loaded.
    const given = () => ({ config: settings && configFromSettings(settings) });
    return define(prefix, modules, { provide: GIVEN, useFactory: given });
  }

  /** As {@link forRoot}, with settings from the host's providers, such as its ConfigService. */
  static forRootAsync(options: AvatarChatAsyncOptions): DynamicModule {
    const place = 'AvatarChatModule.forRootAsync()';
    withoutStack(() => assertKnownOptions(place, options, ['prefix', 'imports', 'inject', 'useFactory', 'modules']));
    const { prefix, imports = [], inject = [], useFactory, modules } = options;
    if (typeof useFactory !== 'function') throw stackless(new Error(`${place} needs a useFactory.`));
    const given = async (...injected: never[]) => {
      const found = await useFactory(...injected);
      withoutStack(() => assertKnownOptions(`What useFactory of ${place} returns`, found, ['settings', 'modules']));
      return { config: found.settings && configFromSettings(found.settings), modules: found.modules };
    };
    return define(prefix, modules, { provide: GIVEN, useFactory: given, inject }, imports);
  }

  /** @internal */
  async onModuleInit(): Promise<void> {
    await this.service.start();
  }

  /** @internal Runs while the host still accepts requests. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.service.drain();
  }

  /** @internal Runs after the host has stopped accepting requests. */
  async onApplicationShutdown(): Promise<void> {
    await this.service.close();
  }
}

function define(prefix = '', modules: Modules = [], given: FactoryProvider, imports: Modules = []): DynamicModule {
  if (typeof prefix !== 'string' || (prefix !== '' && !PREFIX.test(prefix)))
    throw stackless(
      new Error(
        'The prefix of AvatarChatModule must be like talk/v1: letters, digits and -._~ between single slashes, none of them leading or trailing.',
      ),
    );
  const service: FactoryProvider = {
    provide: MountedService,
    inject: [GIVEN, HttpAdapterHost],
    useFactory: ({ config, modules: more = [] }: { config?: Config; modules?: Modules }, host: HttpAdapterHost) =>
      // The demo page only works at the root of a server.
      MountedService.create(withoutPage(config ?? loadConfig()), prefix, [...modules, ...more], host),
  };
  const shared = EXPORTS.map((provide) => ({
    provide,
    inject: [MountedService],
    useFactory: (mounted: MountedService) => mounted.get(provide),
  }));
  return {
    module: AvatarChatModule,
    global: true,
    imports: [DiscoveryModule, ...imports],
    providers: [given, service, ...shared],
    exports: EXPORTS,
  };
}

function withoutPage(config: Config): Config {
  return config.with({ demo: false });
}

/** Hosts print errors of their start whole: of their options, without a stack. */
function withoutStack(check: () => void): void {
  try {
    check();
  } catch (error) {
    throw stackless(error as Error);
  }
}

function stackless(error: Error): Error {
  error.stack = `Error: ${error.message}`;
  return error;
}
