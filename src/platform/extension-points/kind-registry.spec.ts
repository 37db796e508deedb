import { Injectable, Module, type Type } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { type KindEntry } from 'avatar-chat-catalogue';
import { KindRegistry } from './index.js';

abstract class Lamp {
  abstract readonly kind: string;
  validate({ watts }: KindEntry): string[] {
    return watts === undefined ? ['watts: is missing'] : [];
  }
}
@Injectable()
class OilLamp extends Lamp {
  readonly kind: string = 'oil';
}
@Injectable()
class LampRegistry extends KindRegistry<Lamp> {
  constructor(discovery: DiscoveryService, oil: OilLamp) {
    super(discovery, 'lamp', Lamp, [oil]);
  }
}

@Injectable()
class GasLamp extends OilLamp {
  override readonly kind = 'gas';
}
@Injectable()
class NewOilLamp extends OilLamp {}
@Injectable()
class OtherGasLamp extends OilLamp {
  override readonly kind = 'gas';
}
@Injectable()
class NamelessLamp extends OilLamp {
  override readonly kind = undefined as never;
}
@Injectable()
class LoudLamp extends OilLamp {
  override readonly kind = 'Loud Lamp';
}

async function registryWith(...lamps: Type[]): Promise<LampRegistry> {
  @Module({ imports: [DiscoveryModule], providers: [OilLamp, LampRegistry] })
  class LampModule {}
  // An alias of a provider is still the same provider.
  const aliases = lamps.map((lamp) => ({ provide: `a name of ${lamp.name}`, useExisting: lamp }));
  @Module({ providers: [...lamps, ...aliases, { provide: 'no lamp', useValue: { kind: 'gas' } }] })
  class TeamModule {}
  const module = await Test.createTestingModule({ imports: [LampModule, TeamModule] }).compile();
  await module.init();
  return module.get(LampRegistry);
}

describe('KindRegistry', () => {
  it("finds the service's parts and those of other modules by kind", async () => {
    const registry = await registryWith(GasLamp);
    expect(registry.kinds).toEqual(['gas', 'oil']);
    expect(registry.find('gas')).toBeInstanceOf(GasLamp);
    expect(registry.find('oil')?.constructor).toBe(OilLamp);
    expect(registry.find('constructor')).toBeUndefined();
  });

  it("lets a module's part replace one of the service", async () => {
    const registry = await registryWith(NewOilLamp);
    expect(registry.kinds).toEqual(['oil']);
    expect(registry.find('oil')).toBeInstanceOf(NewOilLamp);
  });

  it('lets each part validate its entries, and lists the kinds for an unknown one', async () => {
    const registry = await registryWith(GasLamp);
    expect(registry.validate({ kind: 'gas', watts: 5 })).toEqual([]);
    expect(registry.validate({ kind: 'gas' })).toEqual(['watts: is missing']);
    expect(registry.validate({ kind: 'neon' })).toEqual(['kind: must be one of gas, oil']);
  });

  it.each([
    ['two providers of one kind', [GasLamp, OtherGasLamp], "Two providers are the lamp 'gas': GasLamp, OtherGasLamp."],
    ['two replacements', [NewOilLamp, class extends NewOilLamp {}], "Two providers are the lamp 'oil': NewOilLamp, "],
    ['a part without a kind', [NamelessLamp], 'The lamp NamelessLamp has no kind'],
    ['a kind that no catalogue can name', [LoudLamp], 'The lamp LoudLamp has no kind, or not one of 1-64 of'],
  ])('refuses to start with %s', async (_, lamps, message) => {
    await expect(registryWith(...(lamps as Type[]))).rejects.toThrow(message);
  });
});
