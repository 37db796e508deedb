export type {
  TranscriptionEvent,
  TranscriptionStream,
  TranscriptionOptions,
  TurnDetection,
} from './transcription.stream.js';
export { LIVE_RATE, type PhonemeTime, type SpeechSamples, type WordTime } from './audio/speech.samples.js';
export { Speaker, type SpeakRequest, type Speech, type SpeechEntry, type VoiceSettings } from './speaker.js';
export { clauses } from './text/clauses.js';
export { Sentences } from './text/sentences.js';
export { SpeechBusyError, SpeechError } from './speech.error.js';
export { SpeechModule } from './speech.module.js';
export { SpeechService } from './speech.service.js';
export { Transcriber, type TranscribeRequest } from './transcriber.js';
export { toMilliseconds } from './audio/mp3.js';
export { SPOKEN_LIMIT, spokenText } from './text/spoken.text.js';
export { estimatedWords, wordsOf } from './text/words.js';
export { visemesOf } from './text/visemes.js';
