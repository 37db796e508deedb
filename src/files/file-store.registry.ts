import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { KindRegistry } from '../platform/extension-points/index.js';
import { BoundedFileStore } from './file-store.bounded.js';
import { FileStore } from './file-store.js';
import { GridFsFileStore } from './file-store.gridfs.js';

/** Every {@link FileStore} by kind. It is not selected by a setting: a module's store replaces GridFS. */
@Injectable()
export class FileStoreRegistry extends KindRegistry<FileStore> {
  private bounded?: FileStore;

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
    const [added] = this.added;
    if (!added) return this.gridFs;
    return (this.bounded ??= new BoundedFileStore(added));
  }
}
