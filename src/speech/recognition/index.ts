export { MoonshineTranscriber } from './moonshine.transcriber.js';
export { Recognition } from './recognition.js';
export { SherpaTranscriber } from './sherpa.transcriber.js';
