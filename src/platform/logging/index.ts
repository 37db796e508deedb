export { describeError, isError } from './log-values.js';
export { LOGGER, NestLogger, createLogger, type Logger } from './logger.js';
