import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { CatalogueModule } from '../catalogue/index.js';
import { FileController } from './file.controller.js';
import { FileRenditions } from './file.rendition.js';
import { FileService } from './file.service.js';
import { FileUrls } from './file.urls.js';
import { GridFsFileStore } from './file-store.gridfs.js';
import { FileStoreRegistry } from './file-store.registry.js';

/** Recordings, spoken answers and their renditions, and their signed URLs. */
@Module({
  imports: [CatalogueModule, DiscoveryModule],
  controllers: [FileController],
  providers: [FileService, FileUrls, GridFsFileStore, FileRenditions, FileStoreRegistry],
  exports: [FileService, FileStoreRegistry, FileUrls],
})
export class FilesModule {}
