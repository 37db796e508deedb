import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { ChatModule } from 'avatar-chat-service';
import { RatingDocument, RatingSchema } from './rating.schema.js';
import { RatingsController } from './ratings.controller.js';
import { RatingsData } from './ratings.data.js';
import { RatingsService } from './ratings.service.js';
import { SurveyEngine } from './survey.engine.js';

/** Users rate the answers that they were given. */
@Module({
  imports: [ChatModule, MongooseModule.forFeature([{ name: RatingDocument.name, schema: RatingSchema }])],
  controllers: [RatingsController],
  providers: [RatingsData, RatingsService, SurveyEngine],
})
export class RatingsModule {}
