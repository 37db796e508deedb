import { type AnswerPiece, RETRACT } from './avatar-engine.js';

/** What may stand at the start of an answer that begins with reasoning. */
const LEADING = ['<think>', '<thinking>', '</think>', '</thinking>', '<|channel|>', '<|start|>', '<|message|>'];
/** The same in the middle. */
const TAGS = ['<think>', '<thinking>', '</think>', '</thinking>'];
/** A tag in backticks is quoted. */
const REASONING_TAG = /(?<!`)<(\/?)think(?:ing)?>/gi;
const BEGUN_TAG = /`?(?:<(?:\/?[a-z]*)?)?$/i;
const LONGEST_TAG = 12;
const HARMONY_TOKEN = /<\|(end|return|call|start|channel)\|>/;
/** Text that is held back, in characters: more of it is surely reasoning. */
const MAX_HELD = 100_000;

/**
 * Removes a model's reasoning from its answer, piece by piece: leading `<think>…</think>` and `<thinking>…</thinking>`,
 * everything before a lone `</think>`, and all channels of the Harmony format but `final`. Quoted tags are text.
 */
export class ReasoningFilter {
  private read: (isOver: boolean) => Iterable<AnswerPiece> = this.readStart;
  /** Text that no piece has decided on yet. */
  private rest = '';
  private held = '';
  /** Whether reasoning was removed: what follows is the answer, in which tags are text. */
  private isClosed = false;
  private hasText = false;
  private code = new CodeState();
  private opened = 0;
  /** Tags within the reasoning whose ends did not come yet, if they have any: up to there it was no answer. */
  private nested = 0;
  private isReplaced = false;
  private isFinal = false;

  /** @param holds whether text is held back until the end of the reasoning, which may lack its start */
  constructor(private readonly holds = false) {}

  /** @returns what is surely part of the answer */
  push(piece: string): AnswerPiece[] {
    this.rest += piece;
    return [...this.readAll(false)];
  }

  /** @param isCut whether the model was stopped by a limit: then text that is held back is reasoning */
  end(isCut = false): AnswerPiece[] {
    const pieces = [...this.readAll(true)];
    if (this.held && !isCut && this.held.length <= MAX_HELD) pieces.push(...this.say(this.held));
    return pieces;
  }

  private *readAll(isOver: boolean): Generator<AnswerPiece> {
    for (let before; before !== this.read;) {
      before = this.read;
      yield* this.read(isOver);
    }
  }

  private *readStart(isOver: boolean): Generator<AnswerPiece> {
    const text = this.rest.trimStart();
    const tag = LEADING.find((one) => startsWith(text, one));
    if (tag?.startsWith('<|')) {
      this.rest = text;
      this.read = this.readHeader;
    } else if (tag?.startsWith('</')) {
      this.nested = Math.max(0, this.nested - 1);
      this.close(text.slice(tag.length));
      yield* this.readStart(isOver);
    } else if (tag) {
      this.rest = text.slice(tag.length);
      this.read = this.readReasoning;
    } else if (isOver || (text !== '' && !LEADING.some((one) => isStartOf(text, one)))) {
      if (this.isClosed) this.rest = text;
      this.read = this.readAnswer;
    }
  }

  private readReasoning(): AnswerPiece[] {
    for (const { 0: tag, 1: slash, index } of this.rest.matchAll(REASONING_TAG)) {
      if (!slash) this.nested++;
      else {
        this.close(this.rest.slice(index + tag.length));
        return [];
      }
    }
    this.rest = BEGUN_TAG.exec(this.rest.slice(-LONGEST_TAG))?.[0] ?? '';
    return [];
  }

  private *readAnswer(isOver: boolean): Generator<AnswerPiece> {
    const { rest } = this;
    if (this.isClosed && this.nested === 0) {
      this.rest = '';
      return yield* this.say(rest);
    }
    const holds = this.holds && !this.isClosed;
    let end = 0;
    while (end < rest.length) {
      const left = rest.slice(end, end + LONGEST_TAG);
      const tag = left[0] === '<' && !this.code.isQuoted ? TAGS.find((one) => startsWith(left, one)) : undefined;
      // What follows decides.
      if (!isOver && !tag && (TAGS.some((one) => isStartOf(left, one)) || /^[`~]+$/.test(rest.slice(end)))) break;
      if (tag?.startsWith('</') && this.opened === 0) {
        if (this.isClosed) yield* this.endNested(rest.slice(0, end));
        else if (holds) this.held = '';
        else yield RETRACT;
        return this.close(rest.slice(end + tag.length));
      }
      if (tag) this.opened += tag.startsWith('</') ? -1 : 1;
      end += tag?.length ?? this.code.read(rest, end);
    }
    this.rest = rest.slice(end);
    if (!holds) yield* this.say(rest.slice(0, end));
    else if (this.held.length <= MAX_HELD) this.held += rest.slice(0, end);
  }

  private readHeader(): AnswerPiece[] {
    const [header, ...messages] = this.rest.split('<|message|>');
    if (messages.length === 0) return [];
    this.isClosed = true;
    this.isFinal = (/<\|channel\|>\s*(\w+)/.exec(header!)?.[1] ?? 'final') === 'final';
    this.rest = messages.join('<|message|>');
    this.read = this.readMessage;
    return [];
  }

  private *readMessage(isOver: boolean): Generator<AnswerPiece> {
    const token = HARMONY_TOKEN.exec(this.rest);
    const begun = isOver ? -1 : this.rest.slice(-LONGEST_TAG).search(/<(\|[a-z]*\|?)?$/);
    const end = token?.index ?? (begun < 0 ? this.rest.length : Math.max(0, this.rest.length - LONGEST_TAG) + begun);
    if (this.isFinal) yield* this.say(this.rest.slice(0, end));
    this.rest = this.rest.slice(end);
    if (!token) return;
    const isHeader = token[1] === 'start' || token[1] === 'channel';
    if (!isHeader) this.rest = this.rest.slice(token[0].length);
    this.read = isHeader ? this.readHeader : this.readStart;
  }

  /** What came before is an answer if nothing follows. */
  private *endNested(before: string): Generator<AnswerPiece> {
    yield* this.say(before);
    this.nested--;
    this.isReplaced ||= this.hasText;
  }

  private close(rest: string): void {
    this.isClosed = true;
    this.hasText = false;
    this.code = new CodeState();
    this.rest = rest;
    this.read = this.readStart;
  }

  /** The white space between reasoning and answer is part of neither. */
  private *say(text: string): Generator<AnswerPiece> {
    const said = this.isClosed && !this.hasText ? text.trimStart() : text;
    this.hasText ||= said.trim() !== '';
    if (this.isReplaced && this.hasText) {
      yield RETRACT;
      this.isReplaced = false;
    }
    if (said !== '') yield said;
  }
}

/** Whether the text so far ends within a code span, which ends with its line, or within a fenced code block. */
class CodeState {
  private fence = '';
  private span = '';
  private isLineStart = true;

  get isQuoted(): boolean {
    return this.fence !== '' || this.span !== '';
  }

  /** Reads a character, or a run of backticks or tildes. @returns its length */
  read(text: string, at: number): number {
    const first = text[at]!;
    if (first === '\n') {
      this.isLineStart = true;
      this.span = '';
    } else if (first === '`' || first === '~') {
      let end = at + 1;
      while (text[end] === first) end++;
      this.mark(text.slice(at, end));
      return end - at;
    } else if (first !== ' ') this.isLineStart = false;
    return 1;
  }

  private mark(run: string): void {
    const isFence = this.isLineStart && run.length >= 3;
    this.isLineStart = false;
    if (this.fence !== '') {
      if (isFence && run.startsWith(this.fence)) this.fence = '';
    } else if (isFence) this.fence = run;
    else if (run.startsWith('`')) this.span = this.span === run ? '' : this.span || run;
  }
}

function startsWith(text: string, tag: string): boolean {
  return text.slice(0, tag.length).toLowerCase() === tag;
}

function isStartOf(text: string, tag: string): boolean {
  return text.length < tag.length && text !== '' && tag.startsWith(text.toLowerCase());
}
