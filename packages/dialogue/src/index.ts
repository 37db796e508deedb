export type { Exchange, Reply, ReplyKind, Said } from './conversation/turn.js';
export { parseScript } from './format/faults.js';
export { type FollowUp, type Intent, type LanguageWords, ScriptError, type ScriptFile } from './format/script-file.js';
export { replyTo, replyToDanger, withAllergyNote } from './reply.js';
export { CompiledScript } from './script/compiled-script.js';
export { LanguageBook } from './script/language-book.js';
export { overlapsOf } from './script/overlaps.js';
export { ScriptLibrary } from './script/script-library.js';
export { compileScript, languagesLike, missingLanguage, type Script, ScriptReader } from './script/script-reader.js';
