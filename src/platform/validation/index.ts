export { IfGiven, ValidationPipe, refusal, refusalOf } from './validation.pipe.js';
