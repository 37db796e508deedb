export { ExactQuery, IfGiven, ValidationPipe, refusal, refusalOf } from './validation.pipe.js';
