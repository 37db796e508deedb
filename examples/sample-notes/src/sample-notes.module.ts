import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { SampleNotesController } from './sample-notes.controller.js';
import { SampleNotesData } from './sample-notes.data.js';
import { SampleNotesMigration } from './sample-notes.migration.js';
import { SampleNotesOperations } from './sample-notes.operations.js';
import { SampleNotesEntry, SampleNotesSchema } from './sample-notes.schema.js';
import { SampleNotesService } from './sample-notes.service.js';
import { SampleNotesTool } from './sample-notes.tool.js';

@Module({
  imports: [MongooseModule.forFeature([{ name: SampleNotesEntry.name, schema: SampleNotesSchema }])],
  controllers: [SampleNotesController],
  providers: [SampleNotesData, SampleNotesMigration, SampleNotesOperations, SampleNotesService, SampleNotesTool],
})
export class SampleNotesModule {}
