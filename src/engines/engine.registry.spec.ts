import { Injectable, Module, Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Config, ConfigModule } from '../platform/config/index.js';
import { HttpModule } from '../platform/http/index.js';
import { AvatarEngine, EngineTurn, OpenAiEngine } from 'avatar-chat-models';
import { EngineRegistry } from './engine.registry.js';
import { ScriptedEngine } from './scripted.engine.js';
import { EnginesModule } from './engines.module.js';

@Injectable()
class EchoEngine extends AvatarEngine {
  readonly kind: string = 'echo';
  validate(): string[] {
    return ['volume: is too loud'];
  }
  async *reply(turn: EngineTurn) {
    yield turn.request;
  }
}

@Injectable()
class OwnScriptedEngine extends EchoEngine {
  override readonly kind = 'scripted';
}

async function registryWith(...engines: Type[]): Promise<EngineRegistry> {
  @Module({ providers: engines })
  class ForeignModule {}
  const module = await Test.createTestingModule({ imports: [ConfigModule, HttpModule, EnginesModule, ForeignModule] })
    .overrideProvider(Config)
    .useValue(new Config({}))
    .compile();
  await module.init();
  return module.get(EngineRegistry);
}

describe('EngineRegistry', () => {
  it('knows the shipped engines', async () => {
    const registry = await registryWith();
    expect(registry.engineFor('scripted')).toBeInstanceOf(ScriptedEngine);
    expect(registry.engineFor('openai')).toBeInstanceOf(OpenAiEngine);
    expect(registry.validate({ kind: 'scripted', script: 'ada' })).toEqual([]);
  });

  it('finds the engine of a foreign module, which may take the place of a shipped one', async () => {
    const registry = await registryWith(EchoEngine, OwnScriptedEngine);
    expect(registry.engineFor('echo')).toBeInstanceOf(EchoEngine);
    expect(registry.engineFor('scripted')).toBeInstanceOf(OwnScriptedEngine);
    expect(registry.validate({ kind: 'echo' })).toEqual(['volume: is too loud']);
  });

  it('does not know others', async () => {
    const registry = await registryWith();
    expect(() => registry.engineFor('echo')).toThrow(expect.objectContaining({ code: 'engine_failed' }));
    expect(registry.validate({ kind: 'echo' })).toEqual([
      'kind: must be one of llama, openai, openai-live, openai-realtime, scripted',
    ]);
  });
});
