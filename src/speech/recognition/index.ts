export { TranscriptionStreams } from './transcription.streams.js';
export { MoonshineTranscriber } from './moonshine.transcriber.js';
export { OfflineTranscriber } from './offline.transcriber.js';
export { Recognition } from './recognition.js';
export { SherpaTranscriber } from './sherpa.transcriber.js';
