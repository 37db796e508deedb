import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/index.js';
import { SuggestionsController } from './suggestions.controller.js';

/** `GET /suggestions`: what a user may ask an avatar first. */
@Module({ imports: [CatalogueModule], controllers: [SuggestionsController] })
export class SuggestionsModule {}
