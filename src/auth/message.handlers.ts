import { Injectable, type Type } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { takeUpgrades } from 'avatar-chat-runtime';
import { isPublic } from './public.js';

/** Nest's own metadata keys; its packages for gateways and microservices may not be installed. */
const GATEWAY = 'websockets:is_gateway';
const GATEWAY_OPTIONS = 'websockets:gateway_options';
const GATEWAY_PORT = 'port';
const PATTERN = 'microservices:pattern';

/**
 * Nest's global guards protect neither the connections of WebSocket gateways nor RPC handlers. So those that are not
 * `@Public()` are refused at startup; a public one verifies tokens with {@link AuthService.verify}.
 */
@Injectable()
export class MessageHandlers {
  constructor(discovery: DiscoveryService, scanner: MetadataScanner) {
    const gateways = discovery.getProviders().flatMap(({ metatype }) => (isGateway(metatype) ? metatype : []));
    const closed = gateways.filter((gateway) => !isPublic(gateway)).map(({ name }) => name);
    for (const { metatype } of discovery.getControllers())
      closed.push(...closedHandlers(metatype as Type, scanner).map((method) => `${metatype!.name}.${method}`));
    if (closed.length > 0)
      throw new Error(
        `The token guard cannot protect gateways and RPC handlers: mark ${closed.join(', ')} with @Public(), and verify tokens with AuthService.verify().`,
      );
    for (const gateway of gateways) leaveUpgrades(gateway);
  }
}

function closedHandlers(controller: Type, scanner: MetadataScanner): string[] {
  const prototype = controller.prototype as Record<string, object>;
  const methods = scanner.getAllMethodNames(prototype).filter((name) => Reflect.hasMetadata(PATTERN, prototype[name]!));
  return isPublic(controller) ? [] : methods.filter((name) => !isPublic(prototype[name]!));
}

/** A gateway with a port of its own has its own server. The second path is Socket.IO's. */
function leaveUpgrades(gateway: Type): void {
  if (Reflect.getMetadata(GATEWAY_PORT, gateway)) return;
  const { path = '' } = Reflect.getMetadata(GATEWAY_OPTIONS, gateway) as { path?: string };
  for (const taken of [`/${path.split('/').filter(Boolean).join('/')}`, '/socket.io/']) takeUpgrades(taken);
}

function isGateway(value: unknown): value is Type {
  return typeof value === 'function' && Reflect.hasMetadata(GATEWAY, value);
}
