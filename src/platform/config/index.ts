export { Clock, isoDate, LAST_DATE_MS, SystemClock } from 'avatar-chat-runtime';
export { Config } from 'avatar-chat-settings';
export { ConfigModule } from './config.module.js';
