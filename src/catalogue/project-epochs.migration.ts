import { Injectable } from '@nestjs/common';
import { Migration, type MigrationProvider } from '../platform/migrations/index.js';
import { CatalogueRepository } from './catalogue.repository.js';

/** Projects of early releases have no epoch. */
@Migration('0001-project-epochs')
@Injectable()
export class ProjectEpochsMigration implements MigrationProvider {
  constructor(private readonly repository: CatalogueRepository) {}

  up(): Promise<void> {
    return this.repository.addEpochs();
  }
}
