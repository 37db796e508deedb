import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/index.js';
import { SuggestionsController } from './suggestions.controller.js';

/** `GET /suggestions`: suggested first questions for an avatar. */
@Module({ imports: [CatalogueModule], controllers: [SuggestionsController] })
export class SuggestionsModule {}
