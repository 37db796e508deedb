export { GreetingsModule } from './greetings.module.js';
