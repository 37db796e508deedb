import type { AddressInfo, Server } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Config } from '../config/index.js';
import { ServiceAdapter } from './adapter.js';
import type { Mount } from './mount.js';

/** Makes the paths of this service absolute, for clients. */
@Injectable()
export class PublicUrl {
  /** Caches the address of each server: looking it up takes a system call. */
  private readonly addresses = new WeakMap<Server, AddressInfo>();

  constructor(
    private readonly config: Config,
    private readonly host: HttpAdapterHost,
  ) {}

  /** `PUBLIC_URL`, or the address that the service listens on, with the prefix within a host application. */
  get base(): string {
    return (this.config.publicUrl ?? this.listening) + this.prefix;
  }

  /** Such as `/talk/v1`; empty for a standalone service. */
  get prefix(): string {
    return this.mount?.prefix ?? '';
  }

  /** The address that the service listens on, with the actual port if the system chose it. */
  get listening(): string {
    const { mount } = this;
    const server = mount ? mount.server : this.host.httpAdapter?.getHttpServer();
    const address = server && this.addressOf(server);
    const host = (mount && address?.address) ?? this.config.host;
    const name = ['0.0.0.0', '::'].includes(host) ? 'localhost' : host;
    const scheme = server instanceof TlsServer ? 'https' : 'http';
    return `${scheme}://${name.includes(':') ? `[${name}]` : name}:${address?.port ?? this.config.port}`;
  }

  /** A path such as `/assets/a.png` under the base; an absolute URL is unchanged. */
  absolute(pathOrUrl: string): string {
    return pathOrUrl.startsWith('/') ? this.base + pathOrUrl : pathOrUrl;
  }

  private addressOf(server: Server): AddressInfo | undefined {
    const known = this.addresses.get(server);
    if (known) return known;
    const found = server.address();
    // A server may also listen on a socket path.
    if (found === null || typeof found === 'string') return undefined;
    this.addresses.set(server, found);
    server.once('close', () => this.addresses.delete(server));
    return found;
  }

  private get mount(): Mount | undefined {
    return mountOf(this.host.httpAdapter);
  }
}

/** Mount point of the application in a host; undefined if it is standalone. */
export function mountOf(adapter: unknown): Mount | undefined {
  return adapter instanceof ServiceAdapter ? adapter.mount : undefined;
}
