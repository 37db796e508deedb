export { IfGiven, ValidationPipe, refusal } from './validation.pipe.js';
