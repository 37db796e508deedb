const { TestEnvironment } = require('jest-environment-node');

const hasFailed = (block) =>
  block.children.some((child) => (child.type === 'describeBlock' ? hasFailed(child) : child.errors.length > 0));

/**
 * Skips what is left of a file once a test of it has failed: one is enough to find a mutant, and Stryker has no other way.
 * A test that has failed before its start, by a hook, goes on, since a skipped one would not count.
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
