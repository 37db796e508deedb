export { ConnectionModule } from './connection.module.js';
export { SessionRepository } from './session.repository.js';
