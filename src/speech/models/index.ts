export { InstalledSpeech } from './installed.speech.js';
export { BackgroundInstallationModule, ModelsModule } from './models.module.js';
