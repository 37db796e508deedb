import { DiscoveryService } from '@nestjs/core';

/**
 * Marks a provider of any module, with a method `up(): Promise<void>`, as a migration of stored data. It runs once for
 * a database, at the first start of any process or by `npm run cli -- migrate`, in the order of the names. After a
 * crash it runs again, so `up` must be repeatable. Indexes are built and listeners called only after all migrations.
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

/** What a provider marked with {@link Migration} has. */
export interface MigrationProvider {
  /** Changes what is stored. Doing so again changes nothing. */
  up(): Promise<void>;
}
