/** Whether documentation, dependencies and public names are what the code says: part of `npm run check`. */
import { shared } from './jest.config.mjs';

export default { ...shared, testMatch: ['<rootDir>/test/lint/**/*.lint-spec.ts'] };
