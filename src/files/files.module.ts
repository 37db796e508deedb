import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { MongooseModule } from '@nestjs/mongoose';
import { CatalogueModule } from '../catalogue/index.js';
import { LimitsStorageModule } from '../rate-limits/index.js';
import { VideoModule } from '../video/index.js';
import { FileController } from './file.controller.js';
import { FileService } from './file.service.js';
import { FileUrls } from './file.urls.js';
import { GridFsFileStore } from './file-store.gridfs.js';
import { FileStoreRegistry } from './file-store.registry.js';
import { VideoAnswers } from './video.answers.js';
import { VideoRepository } from './video.repository.js';
import { VideoDocument, VideoSchema } from './video.schema.js';

/** Recordings, spoken answers and videos of messages, and their signed URLs. */
@Module({
  imports: [
    CatalogueModule,
    DiscoveryModule,
    LimitsStorageModule,
    VideoModule,
    MongooseModule.forFeature([{ name: VideoDocument.name, schema: VideoSchema }]),
  ],
  controllers: [FileController],
  providers: [FileService, FileUrls, GridFsFileStore, FileStoreRegistry, VideoAnswers, VideoRepository],
  exports: [FileService, FileUrls, VideoAnswers],
})
export class FilesModule {}
