export { OpenAiModule } from './openai.module.js';
