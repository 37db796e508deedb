export { GreetingsModule } from './greetings.module.js';
export { SuggestionsModule } from './suggestions.module.js';
