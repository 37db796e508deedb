export { BackgroundInstallationModule } from './models/index.js';
export { Speaker, type SpeakRequest, type SpeechEntry, type VoiceSettings } from './speaker.js';
export { SpeechModule } from './speech.module.js';
export { SpeechService } from './speech.service.js';
export { Transcriber, type TranscribeRequest } from './transcriber.js';
