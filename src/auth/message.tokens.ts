import type { ExecutionContext } from '@nestjs/common';
import { Owner } from './owner.js';
import { isPublic } from './public.js';
import { bearerToken } from './token.format.js';

/** The subprotocol in which browsers send the token, since they cannot set headers. */
const PROTOCOL_PREFIX = 'bearer.';

type Headers = Record<string, unknown>;

/** Handshake tokens of WebSocket clients. */
const handshakes = new WeakMap<object, string>();
/** Keyed by the WebSocket client, or by the context of an RPC message. */
const owners = new WeakMap<object, Owner>();

/**
 * The token of a handshake: from its `Authorization` header, or a subprotocol `bearer.TOKEN`.
 *
 * @param client a platform-ws client with the request, or a Socket.IO client with its handshake
 */
export function handshakeToken(client: object, request?: { headers?: Headers }): string | undefined {
  const { headers = {} } = request ?? (client as { handshake?: { headers?: Headers } }).handshake ?? {};
  const { authorization, 'sec-websocket-protocol': protocols } = headers;
  const offered = typeof protocols === 'string' ? protocols.split(',').map((one) => one.trim()) : [];
  const protocol = offered.find((one) => one.startsWith(PROTOCOL_PREFIX));
  return bearerToken(text(authorization)) ?? (protocol?.slice(PROTOCOL_PREFIX.length) || undefined);
}

export function rememberHandshake(client: object, token: string): void {
  handshakes.set(client, token);
}

/**
 * The token of a message: that of its handshake or, for RPC, from its metadata or the `authorization` field of its
 * payload.
 */
export function messageToken(context: ExecutionContext): string | undefined {
  if (context.getType() === 'ws') return handshakes.get(context.switchToWs().getClient<object>());
  const rpc = context.switchToRpc();
  const given = text(metadataOf(rpc.getContext())) ?? text((Object(rpc.getData()) as Headers)['authorization']);
  return given === undefined ? undefined : (bearerToken(given) ?? given);
}

/** Sets the owner of a message. */
export function rememberOwner(context: ExecutionContext, owner: Owner): void {
  owners.set(keyOf(context), owner);
}

/** The owner of a request or a message that has passed the guard. */
export function ownerOf(context: ExecutionContext): Owner {
  if (context.getType() === 'http') return context.switchToHttp().getRequest<{ user: Owner }>().user;
  // The client of a public handler may have been identified by another message.
  const isOpen = isPublic(context.getHandler()) || isPublic(context.getClass());
  return isOpen ? undefined! : owners.get(keyOf(context))!;
}

/** A message with a token has one, since the token came with it. */
function keyOf(context: ExecutionContext): object {
  const rpc = context.switchToRpc();
  const keys: unknown[] =
    context.getType() === 'ws' ? [context.switchToWs().getClient()] : [rpc.getContext(), rpc.getData()];
  return keys.find((key): key is object => typeof key === 'object' && key !== null)!;
}

/** The `authorization` of gRPC metadata, or of NATS, Kafka or RabbitMQ headers. */
function metadataOf(given: unknown): unknown {
  const context = Object(given) as {
    get?(name: string): unknown;
    getHeaders?(): { get?(name: string): unknown } | undefined;
    getMessage?(): { headers?: Headers; properties?: { headers?: Headers } } | undefined;
  };
  if (typeof context.get === 'function') return context.get('authorization');
  if (typeof context.getHeaders === 'function') return context.getHeaders()?.get?.('authorization');
  if (typeof context.getMessage !== 'function') return undefined;
  const message = Object(context.getMessage()) as { headers?: Headers; properties?: { headers?: Headers } };
  return (message.headers ?? message.properties?.headers)?.['authorization'];
}

function text(value: unknown): string | undefined {
  const one: unknown = Array.isArray(value) ? value[0] : value;
  if (Buffer.isBuffer(one)) return one.toString();
  return typeof one === 'string' && one !== '' ? one : undefined;
}
