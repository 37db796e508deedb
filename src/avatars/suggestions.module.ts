import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/index.js';
import { EnginesModule } from '../engines/index.js';
import { SuggestionsController } from './suggestions.controller.js';

/** `GET /suggestions`: suggested first questions for an avatar. */
@Module({ imports: [CatalogueModule, EnginesModule], controllers: [SuggestionsController] })
export class SuggestionsModule {}
