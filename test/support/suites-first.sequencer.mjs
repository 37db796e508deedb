import { createRequire } from 'node:module';

const { default: Sequencer } = createRequire(import.meta.url)('@jest/test-sequencer');

/** The end-to-end suites, which take longest, come first, so that all workers are busy until the end. */
export default class SuitesFirst extends Sequencer {
  sort(tests) {
    const isSuite = ({ path }) => /\.(suite|e2e-spec)\.ts$/.test(path);
    const sorted = super.sort(tests);
    return [...sorted.filter(isSuite), ...sorted.filter((test) => !isSuite(test))];
  }
}
