import { greetingIn } from 'avatar-chat-catalogue';
import {
  type CallerFunctions,
  DEFAULT_TOKENS,
  type EngineExchange,
  type RealtimeEntry,
  realtimeItem,
  realtimePrompt,
  UsageReader,
  type RealtimeAnyItem,
  type RealtimeCall,
  type RealtimeConversation,
  type RealtimeEvent,
  type RealtimeResponseSettings,
  type RealtimeSettings,
} from 'avatar-chat-models';
import { LIVE_RATE, type TranscriptionEvent, type TranscriptionStream } from 'avatar-chat-media';
import { unlessAborted } from 'avatar-chat-runtime';
import { encodeAudio, PCM } from '../input/audio.formats.js';
import type { Item } from '../session/conversation.js';
import type { Reply } from '../response/reply.js';
import type { Utterance } from '../response/live.response.js';
import { NO_REQUEST, type ResponseRequest } from '../response/response.request.js';
import { HOSTED_TRANSCRIPTION } from '../session/session.description.js';
import { usedByOf } from '../session/participants.js';
import { ServerLink, type UpstreamOptions } from './server.link.js';
import { type InputItem, UpstreamInput } from './upstream.input.js';
import { UpstreamOutput } from './upstream.output.js';

/** Maximum characters of the conversation that are sent with a request. */
const MAX_TEXT = 40_000;

/**
 * An OpenAI Realtime server that hears and speaks for an avatar: relays audio to it, and its transcripts and answers
 * back. Turn-taking, storage and the client's events are handled here as for every avatar.
 */
export class Upstream extends ServerLink<RealtimeConversation> {
  private readonly input = new UpstreamInput();
  /** Whether the server has been told of functions of the client. */
  private hasTools = false;
  private before?: readonly EngineExchange[] | undefined;
  /** What prompt sources know when the connection opens. */
  private known: readonly string[] = [];

  constructor(
    private readonly entry: RealtimeEntry,
    options: UpstreamOptions,
  ) {
    super(options);
  }

  /** The turn that ended last, which gets the server's identifier. */
  get heard(): InputItem | undefined {
    return this.input.last;
  }

  /** @param forgets whether the next connection, which may follow at once, starts with the history as it is then */
  override close(forgets = false): void {
    super.close(forgets);
    if (forgets) this.before = undefined;
  }

  listen(hear: (heard: TranscriptionEvent) => void): TranscriptionStream {
    this.input.begin(hear);
    return {
      push: (samples) => this.push(samples),
      configure: () => this.configure(),
      commit: () => {
        if (!this.server || !this.input.commit()) return false;
        this.server.send({ type: 'input_audio_buffer.commit', event_id: 'input_commit' });
        return true;
      },
      clear: () => {
        this.input.clear();
        this.server?.attempt({ type: 'input_audio_buffer.clear' });
      },
      close: () => this.input.reset(),
    };
  }

  /** Sends the session's configuration. */
  configure(): void {
    this.server?.send({ type: 'session.update', session: this.describe() });
  }

  /** Sends what the server does not know of the conversation yet, the latest first to be kept if it is much. */
  private sendItems(server: RealtimeConversation): void {
    const { conversation, participants } = this.options;
    const allowsContext = participants().resolved.project.settings.clientContext;
    const unknown = conversation.all.filter(
      ({ text, upstream, isSeeded, role }) =>
        (text || (text === '' && role === 'tool')) && !upstream && (!isSeeded || allowsContext),
    );
    let left = MAX_TEXT;
    const dropped = unknown.findLastIndex(({ text }) => (left -= text!.length) < 0);
    for (const item of unknown.slice(dropped + 1)) {
      const item_id = `${item.role.slice(0, 1)}_${item.id.slice(-24)}`;
      const isKnown = ({ call, upstream }: Item) => upstream && call?.call_id === item.result_of;
      if (item.result_of !== undefined && !conversation.all.some(isKnown)) continue;
      item.upstream = { item_id };
      server.send({ type: 'conversation.item.create', item: { id: item_id, ...upstreamItem(item) } });
    }
  }

  forget(item: Item | undefined): void {
    const item_id = item?.upstream?.item_id;
    if (item_id !== undefined) this.server?.attempt({ type: 'conversation.item.delete', item_id });
  }

  /** Truncates an item to what was heard. */
  truncated({ upstream, spoken }: Item, audio_end_ms: number): void {
    if (!spoken || upstream?.item_id === undefined) return;
    const { item_id } = upstream;
    this.server?.attempt({ type: 'conversation.item.truncate', item_id, content_index: 0, audio_end_ms });
  }

  /** Requests an answer. @throws ServiceError */
  async *say(
    reply: Reply,
    item: Item,
    signal: AbortSignal,
    { metadata, max_output_tokens = this.options.config().max_output_tokens, tools }: ResponseRequest = NO_REQUEST,
  ): AsyncGenerator<Utterance, void> {
    const calls: RealtimeCall[] = [];
    const { caller } = reply;
    const response: RealtimeResponseSettings = {
      output_modalities: [item.spoken ? 'audio' : 'text'],
      ...(reply.cue === undefined ? {} : { instructions: reply.cue }),
      ...(reply.input === undefined ? {} : { input: [realtimeItem('user', reply.input, reply.images)] }),
      ...(reply.isOutOfBand ? { conversation: 'none' } : {}),
      ...(max_output_tokens === 'inf' ? {} : { max_output_tokens }),
      ...(metadata ? { metadata } : {}),
      ...(tools ? { tools: [...tools] } : {}),
      ...(caller && caller.functions.length > 0 ? { tool_choice: choiceOf(caller) } : {}),
    };
    const parts = reply.relayed((limit) => this.ask(response, reply.tokens, calls, AbortSignal.any([limit, signal])));
    const voice = new UpstreamOutput(
      parts,
      item.spoken,
      (item_id) => (item.upstream = { item_id }),
      this.entry.reasoning,
    );
    let isEmpty = true;
    try {
      for await (const utterance of voice.utterances()) {
        isEmpty = utterance.restarts ? utterance.text === '' : false;
        yield utterance;
      }
      if (isEmpty && calls.length === 0 && !signal.aborted) throw new Error('There was nothing in the answer');
      if (calls.length > 0) caller?.onCalls([{ text: '', calls, results: {} }]);
    } catch (error) {
      if (!signal.aborted) this.report(error);
      throw this.presented(error);
    }
  }

  private async *ask(
    response: RealtimeResponseSettings,
    tokens: Reply['tokens'],
    calls: RealtimeCall[],
    signal: AbortSignal,
  ) {
    const conversation = await unlessAborted(this.connect(), signal);
    if (!conversation) return;
    this.sendItems(conversation);
    const { parts, participants } = this.options;
    const by = usedByOf(parts, participants());
    const { instructions, items } = this.prompt();
    const usage = new UsageReader(instructions + JSON.stringify(items));
    let samples = 0;
    try {
      for await (const part of conversation.respond(response, signal)) {
        if ('usage' in part) usage.read(part);
        else if ('call' in part) calls.push(part.call);
        else yield part;
        if ('text' in part) usage.read({ choices: [{ delta: { content: part.text } }] });
        if ('sound' in part) samples += part.sound.length / 2;
      }
    } finally {
      parts.usage.countTokens(by, usage.result);
      tokens?.add(usage.result);
      parts.usage.count(by, { seconds_spoken: samples / LIVE_RATE });
    }
  }

  private push(samples: Int16Array): void {
    this.reopen();
    this.input.push(samples);
    const audio = encodeAudio(samples, PCM).toString('base64');
    this.server?.send({ type: 'input_audio_buffer.append', event_id: 'input_append', audio });
  }

  protected async openServer(signal: AbortSignal): Promise<RealtimeConversation> {
    const { parts, participants, conversation } = this.options;
    const { owner, avatar } = participants();
    const before = this.before ?? (await parts.answers.earlier(owner, avatar._id));
    // What was read before an erasure must not be used.
    signal.throwIfAborted();
    this.before = before;
    const start = { ...owner, engine: avatar.engine, ...this.start() };
    this.known = await parts.prompts.paragraphsFor(start, this.entry.context_tokens ?? DEFAULT_TOKENS);
    const opened = await parts.realtime.open(this.entry, {
      signal,
      onEvent: (event) => this.take(event),
      onLost: (wasAnswering) => {
        if (this.server !== opened) return;
        this.lose();
        // Reported by whoever requested the answer.
        if (!wasAnswering) this.report(new Error('The connection is lost'));
      },
    });
    this.server = opened;
    this.input.connected();
    opened.send({ type: 'session.update', session: this.describe(this.entry.voice) });
    for (const item of this.prompt().items) opened.send({ type: 'conversation.item.create', item });
    for (const item of conversation.all) if (item.text !== null) delete item.upstream;
    return opened;
  }

  protected override lose(): void {
    super.lose();
    this.input.lose();
  }

  private take(event: RealtimeEvent): void {
    if (event.type === 'error') {
      const { event_id } = (event.error ?? {}) as { event_id?: unknown };
      // The turn that would have ended there has no transcript.
      if (event_id === 'input_commit') this.input.lose();
      else this.reportError();
    } else this.input.take(event);
  }

  /** @param voice can only be set before the first audio */
  private describe(voice?: string): RealtimeSettings {
    const { turn_detection, language_code, tools } = this.options.config();
    this.hasTools ||= tools.length > 0;
    // Responses start and end here.
    const manual = { create_response: false, interrupt_response: false };
    const { type = 'server_vad', ...times } = turn_detection ?? {};
    const detection = type === 'server_vad' ? { ...times, ...manual, type } : { ...manual, type };
    return {
      type: 'realtime',
      output_modalities: ['audio'],
      instructions: [this.prompt().instructions, this.options.config().instructions].filter(Boolean).join('\n\n'),
      ...(tools.length > 0 || this.hasTools ? { tools: [...tools] } : {}),
      audio: {
        input: {
          format: PCM,
          transcription: { model: HOSTED_TRANSCRIPTION, language: language_code.split('-', 1)[0]! },
          turn_detection: turn_detection && detection,
        },
        output: { format: PCM, ...(voice === undefined ? {} : { voice }) },
      },
    };
  }

  private prompt() {
    return realtimePrompt(this.start(), this.entry, this.known);
  }

  private start() {
    const { avatar } = this.options.participants();
    const { chat_type, language_code } = this.options.config();
    const whom = { avatar: { ...avatar, greetingText: greetingIn(avatar, language_code) }, chat_type, language_code };
    return { ...whom, request: '', history: this.before! };
  }
}

/** An item in the server's terms. */
function upstreamItem({ role, text, call, result_of, images }: Item): RealtimeAnyItem {
  if (call) return { type: 'function_call', ...call, arguments: text! };
  if (result_of !== undefined) return { type: 'function_call_output', call_id: result_of, output: text! };
  return realtimeItem(role === 'user' || role === 'assistant' ? role : 'system', text!, images);
}

function choiceOf({ choice = 'auto' }: CallerFunctions): RealtimeResponseSettings['tool_choice'] {
  return typeof choice === 'string' ? choice : { type: 'function', name: choice.name };
}
