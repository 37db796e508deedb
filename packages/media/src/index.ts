/** Sound and speech, without Nest and without a database. */
export { decoded, heardWords, secondsIn } from './audio/decoding.js';
export { linearOfALaw, linearOfMuLaw } from './audio/g711.js';
export { HEAD_LENGTH, mediaType } from './audio/file.sniffer.js';
export { isMp3, joinMp3, mp3Seconds } from './audio/mp3.frames.js';
export { samplesFrom, scaled, toMilliseconds } from './audio/samples.js';
export { LIVE_RATE, type PhonemeTime, type Speech, type SpeechSamples, type WordTime } from './audio/speech.samples.js';
export { wavOf } from './audio/wav.js';
export type { EspeakJob } from './espeak/espeak.synthesizer.js';
export { voicesFor } from './espeak/espeak.voices.js';
export { espeakWorkerClient } from './espeak/espeak.worker-client.js';
export { parsePiperConfig } from './piper/piper.config.js';
export { findPiperModel, type PiperModel, PiperModelError } from './piper/piper.model.js';
export type { PiperJob } from './piper/piper.synthesizer.js';
export { piperWorkerClient } from './piper/piper.worker-client.js';
export { mediaProgram } from './programs.js';
export {
  RecognitionError,
  type RecognitionFailure,
  RecognitionWorkerClient,
} from './recognition/recognition.worker-client.js';
export type { RecognitionModel } from './recognition/recognizer.js';
export { layoutOf } from './recognition/sherpa.layout.js';
export { SAMPLE_RATE } from './recognition/speech.spans.js';
export { CommitStream } from './recognition/streams/commit.stream.js';
export { EchoFilter } from './recognition/streams/echo.filter.js';
export { ProcessStream, type ProcessStreamEvent } from './recognition/streams/process.stream.js';
export type {
  FinalTranscript,
  TranscriptionEvent,
  TranscriptionOptions,
  TranscriptionStream,
  TurnDetection,
} from './recognition/streams/transcription.stream.js';
export { type UtteranceRecording, UtteranceTranscripts } from './recognition/streams/utterance.transcripts.js';
export type { TurnModel } from './recognition/turns/turn.judge.js';
export { SpeechBusyError, SpeechError } from './speech.error.js';
export {
  type SpeechForm,
  type SpeechForms,
  type Synthesis,
  SynthesisCrash,
  SynthesisQueue,
} from './synthesis/synthesis.queue.js';
export { clauses } from './text/clauses.js';
export { Sentences } from './text/sentences.js';
export { SPOKEN_LIMIT, spokenText } from './text/spoken.text.js';
export { visemesOf } from './text/visemes.js';
export { estimatedWords, wordsOf } from './text/words.js';
