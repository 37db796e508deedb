import { Injectable } from '@nestjs/common';
import {
  type CompiledScript,
  languagesLike,
  missingLanguage,
  type Reply,
  replyTo,
  replyToDanger,
  type Said,
  type Script,
  ScriptError,
  ScriptLibrary,
  ScriptReader,
} from 'avatar-chat-dialogue';
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Clock, SystemClock } from '../platform/config/index.js';
import { entryFaults, type FieldRule } from 'avatar-chat-catalogue';
import { loggerOf } from '../platform/logging/index.js';
import { AnswerSources, NO_ANSWERS } from './answer.sources.js';
import { AvatarEngine, EngineEntry, EngineError, EngineResult, EngineTurn, OPENAI_RULES } from 'avatar-chat-models';
import { NO_TOOLS, ToolRegistry } from './tools/tool.registry.js';

// The same from src and from dist.
const SHIPPED_SCRIPTS = fileURLToPath(new URL('../../catalogue/scripts', import.meta.url));
/** Shared by all engines of the process: what all scripts have is read once. */
const READER = new ScriptReader(SHIPPED_SCRIPTS);
/** What belongs to every script is none of its own. */
const SHARED = 'shared';
const RESERVED = [SHARED, 'care'];
const SCRIPT_NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;
const MAX_CHARACTERS = 8_000;
const DEFAULT_LANGUAGE = 'en';
/** The two fields that name the script are validated together, in `validate()`. */
const ANYTHING: FieldRule = [() => true, ''];
const RULES = {
  script: ANYTHING,
  script_path: ANYTHING,
  system_prompt: OPENAI_RULES.system_prompt,
  reasoning: OPENAI_RULES.reasoning,
  knowledge_tokens: OPENAI_RULES.knowledge_tokens,
};

/** A word with the following white space; in scripts without spaces between words, one or two characters. */
const PIECE =
  /^\s+|(?:[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]{1,2}\p{P}*|[^\s\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]+)\s*/gu;

/**
 * Answers from scripts, without any other server: the same words in the same conversation always get the same
 * answer. The entry is `{"kind":"scripted","script":"ada"}` for a folder of `catalogue/scripts`, or
 * `{"kind":"scripted","script_path":"/srv/felix"}` for one elsewhere; a relative path starts at the working directory.
 * The format is that of `Intent` in `avatar-chat-dialogue`. If the settings name a model, `"system_prompt"` is the
 * avatar's personality for it, `"tools"` are what it may call, and `"reasoning"` is as for the engine `openai`.
 */
@Injectable()
export class ScriptedEngine extends AvatarEngine {
  readonly kind = 'scripted';
  private readonly logger = loggerOf(ScriptLibrary.name);
  private readonly library = new ScriptLibrary(READER, (fault) => this.logger.error(fault));

  constructor(
    private readonly clock: Clock = new SystemClock(),
    private readonly tools: ToolRegistry = NO_TOOLS,
    private readonly answers: AnswerSources = NO_ANSWERS,
  ) {
    super();
  }

  validate(entry: EngineEntry): string[] {
    const rules = { ...RULES, tools: this.tools.rule };
    const faults = entryFaults(entry, rules, Object.keys(rules));
    if (faults.length > 0) return faults;
    const { field, folder } = folderOf(entry);
    if (!folder) return [`${field}: must be a name of a-z, 0-9 and hyphens, or script_path a path, not both`];
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
      return [`${field}: there is no such folder of scripts`];
    // Shipped scripts are checked by the tests.
    const missing = missingLanguage(folder);
    if (field === 'script' || missing) return missing ? [`${field}: ${missing}`] : [];
    try {
      READER.read(folder);
      return [];
    } catch (error) {
      return (error instanceof ScriptError ? error.faults : ['cannot be read']).map((fault) => `${field}: ${fault}`);
    }
  }

  /** Compiles the scripts, and reads what is quoted, for which the first answer would wait; after the greeting. */
  override async prepare(engine: EngineEntry, language_code: string, project_id?: string, _id?: string): Promise<void> {
    await delay(200, undefined, { ref: false });
    const turn = { project_id, avatar: { _id, name: '' }, engine, language_code, request: 'Hello', history: [] };
    this.findReply(turn);
    if (project_id) await this.answers.findAnswer(turn as unknown as EngineTurn, true);
  }

  async *reply(turn: EngineTurn): AsyncGenerator<string, EngineResult> {
    const reply = this.findReply(turn);
    if (reply.isHandover && turn.handover) {
      await turn.handover.request();
      return { isAnswered: true };
    }
    const { id, kind, isAdvice } = reply;
    const isOpen = kind === 'unknown' || isAdvice;
    const found = isOpen ? await this.answers.findAnswer(turn, id !== 'heard', isAdvice) : undefined;
    const answer = found ?? reply.answer;
    for (const piece of answer.match(PIECE) ?? [answer]) {
      if (turn.signal.aborted) break;
      yield piece;
    }
    return { isAnswered: found !== undefined || kind !== 'unknown' };
  }

  /**
   * What must be said to words of danger in whatever language, in the language of the turn; else undefined. For models and
   * documents: scripts that answer themselves do so anyway.
   */
  async findCareReply(turn: Said & Pick<EngineTurn, 'engine' | 'language_code'>): Promise<string | undefined> {
    // The avatar's own script may name help that is near.
    const own = turn.engine.kind === this.kind ? this.open(turn.engine) : this.shared;
    const isSpoken = languagesLike(turn.language_code).some((code) => own.languages.includes(code));
    const scripts = this.inLanguage(isSpoken ? own : this.shared, turn.language_code);
    return replyToDanger(bounded(turn), ...scripts, this.clock.now())?.answer;
  }

  /** The script's reply at once; its `kind` tells whether it had an answer. */
  findReply(turn: Said & Pick<EngineTurn, 'engine' | 'language_code'>): Reply {
    return replyTo(bounded(turn), ...this.inLanguage(this.open(turn.engine), turn.language_code), this.clock.now());
  }

  /** A script in the closest of its languages, and in the others, for danger is told in any. */
  private inLanguage(script: Script, language_code: string): [CompiledScript, CompiledScript[]] {
    const { languages } = script;
    const wanted = [...languagesLike(language_code), DEFAULT_LANGUAGE, ...languages];
    const language = wanted.find((code) => languages.includes(code))!;
    const others = [script, this.shared].flatMap((one) => one.languages.map((code) => [code, one] as const));
    const first = new Map(others.toReversed());
    first.delete(language);
    return [script.in(language), [...first].map(([code, one]) => one.in(code))];
  }

  private get shared(): Script {
    return this.library.open(join(SHIPPED_SCRIPTS, SHARED));
  }

  private open(entry: EngineEntry): Script {
    const { folder } = folderOf(entry);
    try {
      if (folder) return this.library.open(folder);
    } catch (error) {
      if (!(error instanceof ScriptError)) throw new EngineError();
    }
    throw new EngineError("The avatar's script cannot be used.");
  }
}

function bounded<Turn extends Said>(turn: Turn): Turn {
  return { ...turn, request: turn.request.slice(0, MAX_CHARACTERS) };
}

function folderOf({ script, script_path }: EngineEntry): {
  field: string;
  folder?: string;
} {
  if (script_path === undefined) {
    const named = typeof script === 'string' && !RESERVED.includes(script) && SCRIPT_NAME.test(script);
    return {
      field: 'script',
      folder: named ? join(SHIPPED_SCRIPTS, script) : undefined,
    };
  }
  const given = typeof script_path === 'string' && script_path !== '' && script === undefined;
  return {
    field: 'script_path',
    folder: given ? resolve(script_path) : undefined,
  };
}
