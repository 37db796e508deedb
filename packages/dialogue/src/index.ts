export {
  type FollowUp,
  type PhraseFile,
  type PhraseSets,
  type QuizQuestion,
  ScriptError,
  type ScriptFact,
  type ScriptFile,
  type ScriptIntent,
  type ScriptRule,
  type ScriptThing,
  type SharedFile,
  type ThingQuestions,
} from './format/script-file.js';
export { type KindReply, type ReplyKind, replyTo, replyToDanger } from './reply.js';
export { compileScript } from './script/compile.js';
export type { CompiledScript, LanguageFiles } from './script/compiled.js';
export { ScriptLibrary } from './script/library.js';
export { scriptOverlaps, statementOverlaps } from './script/overlaps.js';
export { hasLanguages, languagesLike, NO_LANGUAGE, type Script, ScriptReader } from './script/reader.js';
export type { Exchange, Said } from './turn/choose.js';
