import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { ChatModule } from '../../src/index.js';
import { RatingDocument, RatingSchema } from './rating.schema.js';
import { RatingsController } from './ratings.controller.js';
import { RatingsService } from './ratings.service.js';

/** A module as another team would write it: users rate the answers that they were given. */
@Module({
  imports: [ChatModule, MongooseModule.forFeature([{ name: RatingDocument.name, schema: RatingSchema }])],
  controllers: [RatingsController],
  providers: [RatingsService],
})
export class RatingsModule {}
