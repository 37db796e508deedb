import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock, Config } from '../platform/config/index.js';
import { PublicUrl } from '../platform/http/index.js';

const HOUR_SECONDS = 3600;
const DAY_SECONDS = 24 * HOUR_SECONDS;
const KEY_PURPOSE = 'avatar-chat file url';

/** Signed URLs that give access to a file for a limited time: an `<audio>` element sends no token. */
@Injectable()
export class FileUrls {
  private readonly keys: readonly KeyObject[];

  constructor(
    private readonly urls: PublicUrl,
    private readonly clock: Clock,
    config: Config,
  ) {
    this.keys = [config.jwtSecret, ...config.jwtPreviousSecrets].map(deriveKey);
  }

  /** An absolute URL that is valid for at least 24 hours; constant within an hour, so that browsers can cache. */
  sign(file_id: string): string {
    const expires = String(Math.ceil(this.now() / HOUR_SECONDS) * HOUR_SECONDS + DAY_SECONDS);
    const signature = sign(this.keys[0]!, file_id, expires).toString('base64url');
    return this.urls.absolute(`/files/${file_id}?expires=${expires}&signature=${signature}`);
  }

  /** Whether the query of a URL has a valid signature that has not expired. The query is untrusted input. */
  verify(file_id: string, { expires, signature }: { expires?: unknown; signature?: unknown }): boolean {
    if (typeof expires !== 'string' || typeof signature !== 'string') return false;
    if (!/^\d{1,12}$/.test(expires) || !/^[A-Za-z0-9_-]{43}$/.test(signature)) return false;
    const given = Buffer.from(signature, 'base64url');
    const signed = this.keys.some((key) => timingSafeEqual(sign(key, file_id, expires), given));
    return signed && Number(expires) > this.now();
  }

  private now(): number {
    return this.clock.now() / 1000;
  }
}

function deriveKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', KEY_PURPOSE, 32)));
}

function sign(key: KeyObject, file_id: string, expires: string): Buffer {
  return createHmac('sha256', key).update(`${file_id}\n${expires}`).digest();
}
