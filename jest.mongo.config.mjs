/** The end-to-end suite on the server that MONGODB_TEST_URI names, and no other: `npm run test:mongo`. */
import config, { e2e } from './jest.config.mjs';

if (!process.env.MONGODB_TEST_URI) throw new Error('MONGODB_TEST_URI names no server to test on.');
process.env.MONGODB_TEST_ONLY = 'on';

export default { ...config, projects: [e2e] };
