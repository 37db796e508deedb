export { counted } from './counted.js';
export { describeError, isError } from 'avatar-chat-runtime';
export { createLogger, LOG_CONTEXT, LOGGER, type Logger, loggerOf, NestLogger } from './logger.js';
