export { ResponseMemory } from './response-memory.js';
export { limitReached, refusals } from './refusals.js';
