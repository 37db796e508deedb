export { Migration, type MigrationProvider } from './migration.js';
export { MigrationsModule } from './migrations.module.js';
export { MigrationsService } from './migrations.service.js';
