import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { FileController } from './file.controller.js';
import { FileService } from './file.service.js';
import { FileUrls } from './file.urls.js';
import { GridFsFileStore } from './file-store.gridfs.js';
import { FileStoreRegistry } from './file-store.registry.js';

/** The recordings and spoken answers of messages, and the URLs that open them. */
@Module({
  imports: [DiscoveryModule],
  controllers: [FileController],
  providers: [FileService, FileUrls, GridFsFileStore, FileStoreRegistry],
  exports: [FileService, FileUrls],
})
export class FilesModule {}
