import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { CatalogueModule } from '../catalogue/index.js';
import { FilesModule } from '../files/index.js';
import { LimitsStorageModule } from '../rate-limits/index.js';
import { VideoAnswers } from './video.answers.js';
import { VideoClaims } from './video.claims.js';
import { VideoRenderer } from './video.renderer.js';
import { VideoRepository } from './video.repository.js';
import { VideoDocument, VideoSchema } from './video.schema.js';

/** Videos of spoken answers: each is rendered on the first request, and stored. */
@Module({
  imports: [
    CatalogueModule,
    FilesModule,
    LimitsStorageModule,
    MongooseModule.forFeature([{ name: VideoDocument.name, schema: VideoSchema }]),
  ],
  providers: [VideoAnswers, VideoClaims, VideoRenderer, VideoRepository],
  exports: [VideoAnswers],
})
export class VideoModule {}
