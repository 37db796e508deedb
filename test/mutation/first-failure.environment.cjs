const { TestEnvironment } = require('jest-environment-node');

/** Skips what is left of a file once a test of it has failed: one is enough to find a mutant, and Stryker has no other way. */
module.exports = class extends TestEnvironment {
  #failed = false;

  handleTestEvent(event) {
    if (event.name === 'test_fn_failure' || event.name === 'hook_failure') this.#failed = true;
    if (!this.#failed) return;
    if (event.name === 'run_describe_start') event.describeBlock.mode = 'skip';
    // One that has failed before its start, by a hook, must be counted as such.
    if (event.name === 'test_start' && event.test.errors.length === 0) event.test.mode = 'skip';
  }
};
