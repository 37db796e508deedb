import { DiscoveryService } from '@nestjs/core';

/**
 * Marks a provider of any module, with a method `up(): Promise<void>`, as a migration of stored data. It runs once per
 * database, at the first start of any process or by `npm run cli -- migrate`, ordered by name. After a crash it runs
 * again, so `up` must be idempotent. Indexes are built and listeners called only after all migrations.
 *
 * @example
 * @Migration('ratings-stars')
 * @Injectable()
 * export class StarsMigration {
 *   constructor(@InjectModel(RatingDocument.name) private readonly ratings: Model<RatingDocument>) {}
 *   async up(): Promise<void> {
 *     await this.ratings.collection.updateMany({ points: { $exists: true } }, { $rename: { points: 'stars' } });
 *   }
 * }
 */
export const Migration = DiscoveryService.createDecorator<string>();

/** The interface of a provider marked with {@link Migration}. */
export interface MigrationProvider {
  /** Changes the stored data. Must be idempotent. */
  up(): Promise<void>;
}
