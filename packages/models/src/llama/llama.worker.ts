import { fitted, grammarOf, type HistoryItem, historyOf } from './llama.history.js';
import type { FromLlama, LlamaRequest, LlamaResult, LlamaStart, ToLlama } from './llama.messages.js';
import { endWithService } from 'avatar-chat-runtime/processes';

/** A child process with a language model: answers several requests at a time, each in a slot. */

// The parts of an optional package that are used here; the package, and so its types, may not be installed.
interface Library {
  getLlama(options: object): Promise<{ loadModel(options: object): Promise<LoadedModel> }>;
  LlamaChat: new (options: { contextSequence: Sequence }) => Chat;
}
interface LoadedModel {
  readonly tokenizer: unknown;
  readonly trainContextSize: number;
  createContext(options: object): Promise<{ getSequence(): Sequence }>;
}
interface Sequence {
  readonly tokenMeter: { getState(): { usedInputTokens: number; usedOutputTokens: number } };
}
interface Chat {
  readonly chatWrapper: {
    generateContextState(options: object): { contextText: { tokenize(tokenizer: unknown): readonly number[] } };
  };
  generateResponse(
    history: readonly HistoryItem[],
    options: object,
  ): Promise<{
    readonly functionCalls?: readonly { functionName: string; params: unknown }[];
    readonly metadata: { readonly stopReason: string };
  }>;
}

/** A place for one request at a time, which keeps what it evaluated last. */
interface Slot {
  readonly chat: Chat;
  readonly sequence: Sequence;
  conversation: string;
  usedAt: number;
  isBusy: boolean;
}

const start = JSON.parse(process.argv[2]!) as LlamaStart;
const stops = new Map<number, AbortController>();
const send = (message: FromLlama) => process.send?.(message);
endWithService();

async function load(): Promise<{ model: LoadedModel; slots: Slot[] }> {
  const library = (await import(start.library)) as Library;
  const llama = await library.getLlama({
    // Elsewhere, a driver without a device crashes the process.
    gpu: process.platform === 'darwin' ? 'auto' : false,
    build: 'never',
    skipDownload: true,
    progressLogs: false,
    logLevel: 'disabled',
    maxThreads: start.threads,
  });
  const model = await llama.loadModel({ modelPath: start.model });
  const contextSize = Math.min(start.contextSize, model.trainContextSize || Infinity);
  const context = await model.createContext({ sequences: start.slots, contextSize, threads: start.threads });
  const slots = Array.from({ length: start.slots }, () => {
    const sequence = context.getSequence();
    const chat = new library.LlamaChat({ contextSequence: sequence });
    return { chat, sequence, conversation: '', usedAt: 0, isBusy: false };
  });
  return { model, slots };
}

async function answer(id: number, request: LlamaRequest, model: LoadedModel, slot: Slot): Promise<LlamaResult> {
  const functions = Object.fromEntries(
    request.functions.map(({ name, description, parameters }) => [
      name,
      { description, params: grammarOf(parameters) },
    ]),
  );
  const options = request.functions.length > 0 ? { functions } : {};
  const count = (chatHistory: readonly HistoryItem[]) => {
    const state = { chatHistory, availableFunctions: functions, documentFunctionParams: true };
    return slot.chat.chatWrapper.generateContextState(state).contextText.tokenize(model.tokenizer).length;
  };
  const room = Math.min(request.context_tokens, (model.trainContextSize || Infinity) - request.max_tokens);
  const history = fitted(historyOf(request.messages), room, count);
  if (!history) throw new Error('the request is longer than its context');
  const before = slot.sequence.tokenMeter.getState();
  const { functionCalls = [], metadata } = await slot.chat.generateResponse(history, {
    ...options,
    maxTokens: request.max_tokens,
    temperature: request.temperature,
    signal: stops.get(id)!.signal,
    stopOnAbortSignal: true,
    onTextChunk: (text: string) => send({ type: 'piece', id, text }),
  });
  const { usedOutputTokens } = slot.sequence.tokenMeter.getState();
  return {
    calls: functionCalls.map(({ functionName, params }) => ({
      name: functionName,
      args: JSON.stringify(params ?? {}),
    })),
    prompt_tokens: count(history),
    completion_tokens: usedOutputTokens - before.usedOutputTokens,
    isCut: metadata.stopReason === 'maxTokens',
  };
}

let asked = 0;
async function run(id: number, request: LlamaRequest, model: LoadedModel, slots: readonly Slot[]): Promise<void> {
  const free = slots.filter(({ isBusy }) => !isBusy).sort((a, b) => a.usedAt - b.usedAt);
  const slot = free.find(({ conversation }) => conversation === request.conversation) ?? free[0];
  // The service sends no more than there are slots.
  if (!slot) return void send({ type: 'failed', id, reason: 'all slots are taken' });
  Object.assign(slot, { isBusy: true, conversation: request.conversation, usedAt: ++asked });
  stops.set(id, new AbortController());
  try {
    send({ type: 'end', id, result: await answer(id, request, model, slot) });
  } catch (error) {
    const reason = stops.get(id)!.signal.aborted ? 'it was stopped' : (error as Error).message.slice(0, 200);
    send({ type: 'failed', id, reason });
  } finally {
    slot.isBusy = false;
    stops.delete(id);
  }
}

load().then(
  ({ model, slots }) => {
    process.on('message', (message: ToLlama) => {
      if (message.type === 'stop') stops.get(message.id)?.abort();
      else void run(message.id, message.request, model, slots);
    });
    send({ type: 'ready' });
  },
  (error: Error) => {
    process.send?.({ type: 'unusable', reason: error.message.slice(0, 200) } satisfies FromLlama, () =>
      process.exit(1),
    );
  },
);
