export { outputLatency } from './live/latency.js';
export { capture, LIVE_MICROPHONE } from './live/microphone.js';
export { SpeakerOutput } from './live/output.js';
