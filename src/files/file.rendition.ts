import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { findProviders } from '../platform/extension-points/index.js';
import type { FileRequest } from './file.response.js';
import type { StoredFile } from './file-store.js';

/** What a request for a file gets instead of it. */
export type RenditionAnswer =
  | { readonly kind: 'stored'; readonly file: StoredFile }
  /** Sent while it is made; no `content` for HEAD. */
  | { readonly kind: 'streamed'; readonly content_type: string; readonly content?: AsyncIterable<Uint8Array> }
  /** It cannot be made at the moment: the file itself, not to be cached. */
  | { readonly kind: 'original' };

/** Makes another file of one, such as a video of a spoken answer, when it is requested. Provide it in any module. */
export abstract class FileRendition {
  /** @returns undefined for a file without a rendition */
  abstract answer(file: StoredFile, request: FileRequest): Promise<RenditionAnswer | undefined>;

  /** Removes what is known of these files. @returns their renditions, which have to be removed next */
  abstract removeRecords(file_ids: readonly string[]): Promise<string[]>;

  /** Those of these files that are renditions. */
  abstract findRenditions(file_ids: readonly string[]): Promise<string[]>;
}

/** The renditions of all modules. */
@Injectable()
export class FileRenditions extends FileRendition {
  private found?: readonly FileRendition[];

  constructor(private readonly discovery: DiscoveryService) {
    super();
  }

  async answer(file: StoredFile, request: FileRequest): Promise<RenditionAnswer | undefined> {
    for (const rendition of this.all) {
      const answer = await rendition.answer(file, request);
      if (answer) return answer;
    }
    return undefined;
  }

  async removeRecords(file_ids: readonly string[]): Promise<string[]> {
    return (await Promise.all(this.all.map((rendition) => rendition.removeRecords(file_ids)))).flat();
  }

  async findRenditions(file_ids: readonly string[]): Promise<string[]> {
    return (await Promise.all(this.all.map((rendition) => rendition.findRenditions(file_ids)))).flat();
  }

  /** Discovered at the first request, when the providers of all modules exist. */
  private get all(): readonly FileRendition[] {
    return (this.found ??= findProviders(this.discovery, FileRendition).filter((rendition) => rendition !== this));
  }
}
