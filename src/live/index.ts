export { LiveModule } from './live.module.js';
export { LiveSessions } from './live.sessions.js';
