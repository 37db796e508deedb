/** Sound, speech, models and video, without Nest and without a database. */
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
export type { LlamaFunction, LlamaMessage, LlamaRequest, LlamaResult } from './llama/llama.messages.js';
export { findLlama, LLAMA_PACKAGE, LlamaBusyError, LlamaError, LlamaProcess } from './llama/llama.process.js';
export { findSource } from './llama/llama.source.js';
export { LlamaStore } from './llama/llama.store.js';
export { assertSafe, downloadFile, type RemoteFile } from './models/hub.download.js';
export { ModelError } from './models/model.error.js';
export type { InstallationReport } from './models/model.install.worker.js';
export { downloadSize, filesOf, type Model, MODELS, MOONSHINE, SMART_TURN } from './models/model.list.js';
export { isRestricted, ModelSources } from './models/model.sources.js';
export {
  type InstalledModel,
  installedSilero,
  installedTurnModel,
  megabytes,
  ModelStore,
} from './models/model.store.js';
export { parsePiperConfig } from './piper/piper.config.js';
export { findPiperModel, type PiperModel, PiperModelError } from './piper/piper.model.js';
export type { PiperJob } from './piper/piper.synthesizer.js';
export { piperWorkerClient } from './piper/piper.worker-client.js';
export { compiledProgram } from './processes/compiled.js';
export { PACKAGES_ABSENT } from './processes/isolated.js';
export { aborted, afterLimit, unlessAborted, untilAborted, withTimeout } from './processes/timeouts.js';
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
export { renderAvatar } from './video/portrait/avatar.files.js';
export { PORTRAIT_FILE_LIMIT, PortraitError } from './video/portrait/portrait.error.js';
export { RenderedVideo } from './video/rendered.video.js';
export type { FromThread, VideoJob } from './video/video.messages.js';
export { type StartVideoWorker, videoWorkerClient, type VideoWorkerClient } from './video/video.worker-client.js';
