import { type CanActivate, type ExecutionContext, Injectable, type Type } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { asServiceError, failure, MessageErrorFilter } from '../platform/errors/index.js';
import { takeUpgrades } from '../platform/http/index.js';
import { handshakeToken, messageToken, rememberHandshake, rememberOwner } from './message.tokens.js';
import { isPublic } from './public.js';
import { TokenVerification } from './token.verification.js';

/** Nest's own names for what its decorators say; its packages for gateways and microservices need not be there. */
const METADATA = {
  gateway: 'websockets:is_gateway',
  gatewayOptions: 'websockets:gateway_options',
  gatewayPort: 'port',
  subscription: 'websockets:message_mapping',
  pattern: 'microservices:pattern',
  guards: '__guards__',
  filters: '__exceptionFilters__',
};
/** Close codes: the token is missing or not valid; it has expired. */
const [REFUSED, EXPIRED] = [4401, 4403];
const GUARD = Symbol('guard');

interface Client {
  close?(code: number, reason: string): void;
  disconnect?(close: boolean): void;
}
type Connect = (this: unknown, client: object, ...rest: unknown[]) => unknown;
type GatewayPrototype = { handleConnection?: Connect; [GUARD]?: MessageGuard };

/**
 * Closes WebSocket gateways and RPC handlers to those without a token, `@Public()` ones apart. Nest's global guards do not
 * reach all of them, and none their connections: so this guard is put on each when an application with the service is made.
 */
@Injectable()
export class MessageGuard implements CanActivate {
  constructor(
    discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly tokens: TokenVerification,
  ) {
    for (const { metatype } of discovery.getProviders())
      if (isClass(metatype) && Reflect.hasMetadata(METADATA.gateway, metatype)) this.closeGateway(metatype);
    for (const { metatype } of discovery.getControllers()) if (isClass(metatype)) this.closeHandlers(metatype);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType() === 'http' || isPublic(context.getHandler()) || isPublic(context.getClass())) return true;
    const token = messageToken(context);
    if (token === undefined) throw failure('missing_token');
    try {
      // Again for each message, since it may have expired, and its project may be gone.
      rememberOwner(context, (await this.tokens.verify(token)).owner);
    } catch (error) {
      if (context.getType() === 'ws') setImmediate(close, context.switchToWs().getClient<Client>(), error);
      throw error;
    }
    return true;
  }

  private closeGateway(gateway: Type): void {
    const { path = '' } = (Reflect.getMetadata(METADATA.gatewayOptions, gateway) ?? {}) as { path?: string };
    // Those of ports of their own have a server of their own. The second is Socket.IO's.
    if (!Reflect.getMetadata(METADATA.gatewayPort, gateway))
      for (const taken of [`/${path.split('/').filter(Boolean).join('/')}`, '/socket.io/']) takeUpgrades(taken);
    this.guard(gateway);
    if (isPublic(gateway)) return;
    const prototype = gateway.prototype as GatewayPrototype;
    if (!Object.hasOwn(prototype, GUARD)) {
      const connect = prototype.handleConnection;
      prototype.handleConnection = async function (client, ...rest) {
        if (await prototype[GUARD]!.admits(gateway, client as Client, rest[0] as never))
          return connect?.call(this, client, ...rest);
      };
    }
    prototype[GUARD] = this;
  }

  private closeHandlers(controller: Type): void {
    for (const handler of this.handlersOf(controller, METADATA.pattern)) this.guard(handler);
  }

  /** Before guards of its own, and in place of this guard of another application. */
  private guard(target: object): void {
    const put = (name: string, part: object, isOurs: (other: unknown) => boolean) => {
      const others = ((Reflect.getMetadata(name, target) ?? []) as unknown[]).filter((other) => !isOurs(other));
      Reflect.defineMetadata(name, [part, ...others], target);
    };
    put(METADATA.guards, this, (other) => other instanceof MessageGuard);
    put(METADATA.filters, new MessageErrorFilter(), (other) => other instanceof MessageErrorFilter);
  }

  /** Whether a client has a good token. If not, it is disconnected, unless it can be there for a handler that is public. */
  private async admits(
    gateway: Type,
    client: Client,
    request?: { headers: Record<string, unknown> },
  ): Promise<boolean> {
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

function close(client: Client, error: unknown): void {
  const { status, code } = asServiceError(error);
  if (client.disconnect) client.disconnect(true);
  else client.close?.(status === 403 ? EXPIRED : REFUSED, code);
}

function isClass(value: unknown): value is Type {
  return typeof value === 'function' && typeof value.prototype === 'object' && value.prototype !== null;
}
