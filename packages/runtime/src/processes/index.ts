/** Worker threads and child processes for native code. Apart from the rest, since they load it themselves. */
export { compiledProgram } from './compiled.js';
export { endWithService, exitCodeOf, PACKAGES_ABSENT, startIsolated } from './isolated.js';
export { limitMemory } from './memory.js';
export { startThread } from './threads.js';
