import type { AddressInfo } from 'node:net';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Config } from '../config/index.js';

/** Makes the paths of this service absolute, for clients. */
@Injectable()
export class PublicUrl {
  constructor(
    private readonly config: Config,
    private readonly host: HttpAdapterHost,
  ) {}

  /** `PUBLIC_URL`, or the address that the service listens on. */
  get base(): string {
    return this.config.publicUrl ?? this.listening;
  }

  /** The address that the service listens on, with the port that the system chose where it was asked to. */
  get listening(): string {
    const address = this.host.httpAdapter?.getHttpServer()?.address() as AddressInfo | null | undefined;
    const name = ['0.0.0.0', '::'].includes(this.config.host) ? 'localhost' : this.config.host;
    return `http://${name.includes(':') ? `[${name}]` : name}:${address?.port ?? this.config.port}`;
  }

  /** A path such as `/assets/a.png` under the base; a full URL as it is. */
  absolute(pathOrUrl: string): string {
    return pathOrUrl.startsWith('/') ? this.base + pathOrUrl : pathOrUrl;
  }
}
