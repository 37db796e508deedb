import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { KindRegistry } from '../platform/kinds/index.js';
import { FileStore } from './file-store.js';
import { GridFsFileStore } from './file-store.gridfs.js';

/** Every {@link FileStore} by its kind. No setting selects one: a module's is used in place of GridFS. */
@Injectable()
export class FileStoreRegistry extends KindRegistry<FileStore> {
  constructor(
    discovery: DiscoveryService,
    private readonly gridFs: GridFsFileStore,
  ) {
    super(discovery, 'file store', FileStore, [gridFs]);
  }

  /** @internal */
  override onModuleInit(): void {
    const kinds = this.added.map(({ kind }) => kind);
    if (kinds.length > 1) throw new Error(`Modules bring more than one file store: ${kinds.join(', ')}.`);
  }

  /** The store in use. */
  get store(): FileStore {
    return this.added[0] ?? this.gridFs;
  }
}
