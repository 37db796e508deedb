import { Injectable } from '@nestjs/common';
import {
  hasLanguages,
  type KindReply,
  languagesLike,
  NO_LANGUAGE,
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
import { fileURLToPath } from 'node:url';
import { Clock, SystemClock } from '../platform/config/index.js';
import { entryFaults, type FieldRule } from '../platform/extension-points/index.js';
import { loggerOf } from '../platform/logging/index.js';
import { keepHeapSmall } from '../platform/workers/index.js';
import { AvatarEngine, EngineEntry, EngineError, EngineResult, EngineTurn } from './avatar-engine.js';
import { OPENAI_RULES } from './openai.entry.js';
import { NO_TOOLS, ToolRegistry } from './tool.registry.js';

// The same from src and from dist.
const SHIPPED_SCRIPTS = fileURLToPath(new URL('../../catalogue/scripts', import.meta.url));
/** Shared by all engines of the process, since its cache is large. */
const READER = new ScriptReader(SHIPPED_SCRIPTS);
const RESERVED = ['phrases', 'shared'];
const SCRIPT_NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;
const MAX_CHARACTERS = 8_000;
const DEFAULT_LANGUAGE = 'en';
/** The script that answers words of danger for avatars without one. */
const CAREFUL: EngineEntry = { kind: 'scripted', script: 'ada' };
/** The two fields that name the script are validated together, in `validate()`. */
const ANYTHING: FieldRule = [() => true, ''];
const RULES = {
  script: ANYTHING,
  script_path: ANYTHING,
  system_prompt: OPENAI_RULES.system_prompt,
  reasoning: OPENAI_RULES.reasoning,
};

/** A word with the following white space; in scripts without spaces between words, one or two characters. */
const PIECE =
  /^\s+|(?:[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]{1,2}\p{P}*|[^\s\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]+)\s*/gu;

/**
 * Answers from scripts of rules, without any other server: the same words in the same conversation always get the same
 * answer. The entry is `{"kind":"scripted","script":"ada"}` for a folder of `catalogue/scripts`, or
 * `{"kind":"scripted","script_path":"/srv/felix"}` for one elsewhere; a relative path starts at the working directory.
 * The format is that of `ScriptFile` in `avatar-chat-dialogue`. If the settings name a model, `"system_prompt"` is the
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
    // Shipped scripts are checked by the tests: reading all their languages takes half as long as a start.
    if (field === 'script') return hasLanguages(folder) ? [] : [`${field}: ${NO_LANGUAGE}`];
    try {
      READER.read(folder);
      return [];
    } catch (error) {
      return (error instanceof ScriptError ? error.faults : ['cannot be read']).map((fault) => `${field}: ${fault}`);
    }
  }

  /** Reads the script and builds its index, which takes as long as many answers. */
  override async prepare(engine: EngineEntry, language_code: string): Promise<void> {
    if (!(await this.ensurePrepared(engine, language_code))) return;
    this.findReply({
      avatar: { name: '' },
      engine,
      language_code,
      request: 'How far is the Moon?',
      history: [],
    });
  }

  async *reply(turn: EngineTurn): AsyncGenerator<string, EngineResult> {
    // The first turn may arrive before anything is prepared; other requests are served meanwhile.
    await this.ensurePrepared(turn.engine, turn.language_code);
    const { answer, kind } = this.findReply(turn);
    for (const piece of answer.match(PIECE) ?? [answer]) {
      if (turn.signal.aborted) break;
      yield piece;
    }
    return { isAnswered: kind !== 'unknown' };
  }

  /** {@link prepare} for {@link findCareReply}. */
  prepareForCare(engine: EngineEntry, language_code: string): Promise<void> {
    return this.prepare(this.carefulEntry(engine, language_code), language_code);
  }

  /**
   * What must be said to words of danger in whatever language, in the language of the turn; else undefined. For models and
   * documents: scripts that answer themselves do so anyway.
   */
  async findCareReply(turn: Said & Pick<EngineTurn, 'engine' | 'language_code'>): Promise<string | undefined> {
    const engine = this.carefulEntry(turn.engine, turn.language_code);
    await this.ensurePrepared(engine, turn.language_code);
    return this.find(replyToDanger, { ...turn, engine })?.answer;
  }

  /** The avatar's own script, which may name help that is near, or a shipped one. */
  private carefulEntry(engine: EngineEntry, language_code: string): EngineEntry {
    if (engine.kind !== this.kind) return CAREFUL;
    const script = this.open(engine);
    const own = languagesLike(language_code).find((code) => script.has(code));
    return own !== undefined && script.get(own)!.knowledge ? engine : CAREFUL;
  }

  /** @returns whether there was something to prepare */
  private async ensurePrepared(engine: EngineEntry, language_code: string): Promise<boolean> {
    const { folder } = folderOf(engine);
    if (folder) await this.library.readAhead(folder);
    const languages = this.open(engine);
    const script = languages.get(languageFor(languages, language_code))!;
    if (script.isPrepared) return false;
    const letHeapGrow = keepHeapSmall();
    try {
      await script.prepare();
      return true;
    } finally {
      letHeapGrow();
    }
  }

  /** The script's reply at once; its `kind` tells whether it had an answer. */
  findReply(turn: Said & Pick<EngineTurn, 'engine' | 'language_code'>): KindReply {
    return this.find(replyTo, turn);
  }

  private find<T>(
    ask: (...given: Parameters<typeof replyTo>) => T,
    turn: Said & Pick<EngineTurn, 'engine' | 'language_code'>,
  ): T {
    const script = this.open(turn.engine);
    const language = languageFor(script, turn.language_code);
    const others = [...script].filter(([code]) => code !== language).map(([, other]) => other);
    const request = turn.request.slice(0, MAX_CHARACTERS);
    return ask({ ...turn, request }, script.get(language)!, others, this.clock.now());
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

/** The closest of the script's languages. */
function languageFor(script: Script, language_code: string): string {
  const codes = [...languagesLike(language_code), DEFAULT_LANGUAGE, ...script.keys()];
  return codes.find((code) => script.has(code))!;
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
