import { type CanActivate, type ExecutionContext, Injectable, type Type } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { asServiceError, failure, MessageErrorFilter } from '../platform/errors/index.js';
import { takeUpgrades } from '../platform/http/index.js';
import { handshakeToken, messageToken, rememberHandshake, rememberOwner } from './message.tokens.js';
import { isPublic } from './public.js';
import { TokenVerification } from './token.verification.js';

/** Nest's own metadata keys; its packages for gateways and microservices may not be installed. */
const METADATA = {
  gateway: 'websockets:is_gateway',
  gatewayOptions: 'websockets:gateway_options',
  gatewayPort: 'port',
  subscription: 'websockets:message_mapping',
  pattern: 'microservices:pattern',
  guards: '__guards__',
  filters: '__exceptionFilters__',
};
/** Close codes: the token is missing or invalid; it has expired. */
const [REFUSED, EXPIRED] = [4401, 4403];
const ADMIT = Symbol('admit');

interface Client {
  close?(code: number, reason: string): void;
  disconnect?(close: boolean): void;
}
type Connect = (this: unknown, client: object, ...rest: unknown[]) => unknown;
type Request = { headers: Record<string, unknown> } | undefined;
type Admit = (client: Client, request: Request) => Promise<boolean> | boolean;
type GatewayPrototype = { handleConnection?: Connect; [ADMIT]?: Admit };

/**
 * Protects WebSocket gateways and RPC handlers, except `@Public()` ones. Nest's global guards do not cover all of them,
 * and never their connections, so this guard is attached to each when an application with the service is created.
 */
@Injectable()
export class MessageGuard implements CanActivate {
  constructor(
    discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly tokens: TokenVerification,
  ) {
    for (const { metatype } of discovery.getProviders()) if (isGateway(metatype)) this.closeGateway(metatype);
    for (const { metatype } of discovery.getControllers()) this.closeHandlers(metatype as Type);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType() === 'http' || isPublic(context.getHandler()) || isPublic(context.getClass())) return true;
    const token = messageToken(context);
    if (token === undefined) throw failure('missing_token');
    try {
      // Checked again for each message: the token may have expired, or its project may have been removed.
      rememberOwner(context, await this.tokens.verify(token));
    } catch (error) {
      if (context.getType() === 'ws') setImmediate(close, context.switchToWs().getClient<Client>(), error);
      throw error;
    }
    return true;
  }

  private closeGateway(gateway: Type): void {
    const { path = '' } = Reflect.getMetadata(METADATA.gatewayOptions, gateway) as { path?: string };
    // Gateways with a port of their own have their own server. The second case is Socket.IO's.
    if (!Reflect.getMetadata(METADATA.gatewayPort, gateway))
      for (const taken of [`/${path.split('/').filter(Boolean).join('/')}`, '/socket.io/']) takeUpgrades(taken);
    this.guard(gateway);
    if (!isPublic(gateway)) this.onConnect(gateway, (client, request) => this.admits(gateway, client, request));
  }

  /**
   * Runs when a client connects to a gateway, before the gateway is notified. Replaces the hook of another application.
   */
  private onConnect(gateway: Type, admit: Admit): void {
    const prototype = gateway.prototype as GatewayPrototype;
    if (!Object.hasOwn(prototype, ADMIT)) {
      const connect = prototype.handleConnection;
      prototype.handleConnection = async function (client, ...rest) {
        if (await prototype[ADMIT]!(client as Client, rest[0] as Request)) return connect?.call(this, client, ...rest);
      };
    }
    prototype[ADMIT] = admit;
  }

  /**
   * Protects what a host has guarded with its `JwtGuard`, so that handshake tokens are recognized and refusals have
   * their codes. Everything else in the host is left alone.
   */
  serveHost(discovery: DiscoveryService, jwtGuard: Type): void {
    const isClosed = (target: object) => guardsOf(target).some((guard) => isOf(jwtGuard, guard));
    for (const { metatype } of discovery.getProviders()) {
      if (!isGateway(metatype)) continue;
      const closed = this.handlersOf(metatype, METADATA.subscription).filter(isClosed);
      for (const target of isClosed(metatype) ? [metatype] : closed) this.explain(target);
      if (isClosed(metatype)) this.onConnect(metatype, (client, request) => this.admits(metatype, client, request));
      else if (closed.length > 0) this.onConnect(metatype, hear);
    }
    for (const { metatype } of discovery.getControllers())
      for (const handler of this.handlersOf(metatype as Type, METADATA.pattern))
        if (isClosed(metatype as Type) || isClosed(handler)) this.explain(handler);
  }

  private closeHandlers(controller: Type): void {
    for (const handler of this.handlersOf(controller, METADATA.pattern)) this.guard(handler);
  }

  /** Goes before the gateway's own guards, and replaces this guard of another application. */
  private guard(target: object): void {
    putFirst(METADATA.guards, this, target);
    this.explain(target);
  }

  private explain(target: object): void {
    putFirst(METADATA.filters, new MessageErrorFilter(), target);
  }

  /** Whether a client has a valid token. If not, it is disconnected, unless it may be using a public handler. */
  private async admits(gateway: Type, client: Client, request: Request): Promise<boolean> {
    const token = handshakeToken(client, request);
    if (token !== undefined) rememberHandshake(client, token);
    else if (this.handlersOf(gateway, METADATA.subscription).some(isPublic)) return false;
    try {
      if (token === undefined) throw failure('missing_token');
      await this.tokens.verify(token);
      return true;
    } catch (error) {
      close(client, error);
      return false;
    }
  }

  private handlersOf(type: Type, metadata: string): object[] {
    const prototype = type.prototype as Record<string, object>;
    const methods = this.scanner.getAllMethodNames(prototype).map((name) => prototype[name]!);
    return methods.filter((method) => Reflect.hasMetadata(metadata, method));
  }
}

/** Goes before other guards of its kind, and replaces one of its class. */
function putFirst(name: string, part: object, target: object): void {
  const others = ((Reflect.getMetadata(name, target) ?? []) as unknown[]).filter(
    (other) => !(other instanceof part.constructor),
  );
  Reflect.defineMetadata(name, [part, ...others], target);
}

const hear: Admit = (client, request) => {
  const token = handshakeToken(client, request);
  if (token !== undefined) rememberHandshake(client, token);
  return true;
};

function guardsOf(target: object): unknown[] {
  return (Reflect.getMetadata(METADATA.guards, target) ?? []) as unknown[];
}

/** Whether a guard (a class or an instance) is of a class. */
function isOf(type: Type, guard: unknown): boolean {
  return guard === type || guard instanceof type || (isClass(guard) && guard.prototype instanceof type);
}

function close(client: Client, error: unknown): void {
  const { status, code } = asServiceError(error);
  if (client.disconnect) client.disconnect(true);
  else client.close?.(status === 403 ? EXPIRED : REFUSED, code);
}

function isGateway(value: unknown): value is Type {
  return isClass(value) && Reflect.hasMetadata(METADATA.gateway, value);
}

function isClass(value: unknown): value is Type {
  return typeof value === 'function' && typeof value.prototype === 'object' && value.prototype !== null;
}
