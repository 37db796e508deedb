import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Module } from '@nestjs/common';
import { AvatarEngine, type EngineEntry, type EngineTurn } from 'avatar-chat-models';

/** An engine that does what the request says, well or badly. */
@Injectable()
export class PuppetEngine extends AvatarEngine {
  readonly kind = 'puppet';
  /** Requests it was asked, in order. */
  readonly asked: EngineTurn[] = [];
  /** Requests whose answer was stopped by the service. */
  readonly stopped: string[] = [];
  /** The languages that it was prepared for. */
  readonly prepared: string[] = [];
  override prepare = (_entry: EngineEntry, language_code: string) => void this.prepared.push(language_code);
  validate = () => [];

  async *reply(turn: EngineTurn): AsyncGenerator<string> {
    const { request, signal } = turn;
    this.asked.push(turn);
    signal.addEventListener('abort', () => this.stopped.push(request));
    const [order = '', count = ''] = request.split(' ');
    if (order === 'fail') throw new Error('provider said: secret');
    if (order === 'fail-once' && this.asked.filter((asked) => asked.request === request).length === 1)
      throw new Error('x');
    if (order === 'nothing') return;
    if (order === 'number') yield 7 as never;
    if (order === 'flood') for (let n = 0; n < 2000; n++) yield 'x'.repeat(1000);
    if (order === 'dodge') {
      yield "I don't know.";
      return { isAnswered: false };
    }
    if (order === 'wait') await delay(Number(count));
    if (order === 'hang') await new Promise(() => undefined);
    if (order === 'count' || order === 'die' || order === 'stall') {
      for (let n = 1; n <= Number(count); n++) {
        yield `${n} `;
        await delay(20);
      }
      if (order === 'die') throw new Error('x');
      if (order === 'stall') await new Promise(() => undefined);
      return;
    }
    yield 'You said: ';
    yield request;
  }
}

@Module({ providers: [PuppetEngine] })
export class PuppetModule {}

/** A file that exists, others under assets/ cause a warning; there is no portrait beside it. */
const PICTURE = '/assets/languages/pt.svg';

/** An avatar with that engine, for a catalogue. */
export const PUPPET = {
  _id: 'puppet',
  name: 'Puppet',
  greetingText: 'At your service.',
  greetings: { fr: 'À votre service.' },
  hasLiveMode: false,
  previewIcons: { small: PICTURE, medium: PICTURE, large: PICTURE },
  startButtonIcon: PICTURE,
  idleVideo: PICTURE,
  engine: { kind: 'puppet' },
};
