const { TestEnvironment } = require('jest-environment-node');

const hasFailed = (block) =>
  block.children.some((child) => (child.type === 'describeBlock' ? hasFailed(child) : child.errors.length > 0));

/**
 * Skips the rest of a file after its first failed test: one is enough to kill a mutant, and Stryker has no other way. A
 * test that failed before it started, in a hook, is not skipped, since skipped tests would not count.
 */
module.exports = class extends TestEnvironment {
  #failed = false;

  handleTestEvent(event) {
    if (event.name === 'test_fn_failure' || event.name === 'hook_failure') this.#failed = true;
    if (!this.#failed) return;
    if (event.name === 'run_describe_start' && !hasFailed(event.describeBlock)) event.describeBlock.mode = 'skip';
    if (event.name === 'test_start' && event.test.errors.length === 0) event.test.mode = 'skip';
  }
};
