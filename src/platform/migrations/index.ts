export { Migration, type MigrationProvider } from './migration.js';
export { MigrationsModule } from './migrations.module.js';
export { MigrationsService } from './migrations.service.js';
export { dropIndex, renameField } from './rename-field.js';
