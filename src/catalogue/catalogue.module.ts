import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { CatalogueJournal } from './catalogue.journal.js';
import { CatalogueRepository } from './catalogue.repository.js';
import {
  AvatarDocument,
  AvatarSchema,
  CatalogueJournalDocument,
  CatalogueJournalSchema,
  CatalogueRevisionDocument,
  CatalogueRevisionSchema,
  LanguageDocument,
  LanguageSchema,
  ProjectDocument,
  ProjectSchema,
} from './catalogue.schemas.js';
import { CatalogueService } from './catalogue.service.js';
import { ProjectSecrets } from './project.secrets.js';

/** The catalogue: what each project offers to its clients. */
@Module({
  imports: [
    MongooseModule.forFeature([
      { name: AvatarDocument.name, schema: AvatarSchema },
      { name: LanguageDocument.name, schema: LanguageSchema },
      { name: ProjectDocument.name, schema: ProjectSchema },
      { name: CatalogueRevisionDocument.name, schema: CatalogueRevisionSchema },
      { name: CatalogueJournalDocument.name, schema: CatalogueJournalSchema },
    ]),
  ],
  providers: [CatalogueJournal, CatalogueRepository, CatalogueService, ProjectSecrets],
  exports: [CatalogueService, ProjectSecrets],
})
export class CatalogueModule {}
