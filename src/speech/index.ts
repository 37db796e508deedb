export { BackgroundInstallationModule } from './models/index.js';
export { SpeechModule } from './speech.module.js';
export { SpeechService } from './speech.service.js';
