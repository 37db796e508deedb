export { compiledProgram } from './compiled.js';
export { endWithService, exitCodeOf, PACKAGES_ABSENT, startIsolated } from './isolated.js';
export { startThread } from './threads.js';
