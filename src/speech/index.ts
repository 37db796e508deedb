export {
  type PhonemeTime,
  Speaker,
  type SpeakRequest,
  type Speech,
  type SpeechEntry,
  type VoiceSettings,
} from './speaker.js';
export { Sentences } from './sentences.js';
export { SpeechBusyError, SpeechError } from './speech.error.js';
export { SpeechModule } from './speech.module.js';
export { SpeechService, type SpeechSettings } from './speech.service.js';
export { Transcriber, type TranscribeRequest } from './transcriber.js';
export { toMilliseconds } from './speech.mp3.js';
export { SPOKEN_LIMIT, spokenText } from './speech.text.js';
