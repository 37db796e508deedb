export { counted } from './counted.js';
export { describeError, isError } from './log-values.js';
export { createLogger, LOG_CONTEXT, LOGGER, type Logger, loggerOf, NestLogger } from './logger.js';
