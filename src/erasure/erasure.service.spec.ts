import type { DiscoveryService } from '@nestjs/core';
import { Owner } from '../auth/index.js';
import { ErasableData } from './erasable.data.js';
import type { ErasureFences } from './erasure.fences.js';
import { ErasureService } from './erasure.service.js';

const owner = new Owner('p', 'u');
let done: string[];

class Notes extends ErasableData {
  readonly name = 'notes';
  override eraseUnfenced = async ({ user_id }: Owner) => void done.push(`notes of ${user_id}`);
  override eraseProject = async (project_id: string, isRemoved: boolean) => {
    done.push(`notes of ${project_id}, ${isRemoved ? 'removed' : 'kept'}`);
    return 3;
  };
}
/** Refers to letters. */
class Index extends ErasableData {
  readonly name = 'index';
  override readonly order = 1;
  override eraseUser = async ({ user_id }: Owner, erasure: number) =>
    void done.push(`index of ${user_id} before ${erasure}`);
}
class Letters extends ErasableData {
  readonly name = 'letters';
  override eraseUser = async ({ user_id }: Owner, erasure: number) => {
    done.push(`letters of ${user_id} before ${erasure}`);
    return 2;
  };
  override eraseLeftovers = async (
    { project_id, user_id }: { project_id: string; user_id?: string },
    erasure: number,
  ) => void done.push(`left letters of ${user_id ?? project_id} before ${erasure}`);
}

function service(known: object[] = [], projects: string[] = ['p']): ErasureService {
  const providers = [new Index(), new Letters(), new Notes(), { name: 'no data' }, undefined];
  const fences = {
    mark: async () => {
      done.push('recorded');
      return 7;
    },
    hasProject: async (project_id: string) => projects.includes(project_id),
    async *known() {
      yield* known;
    },
  };
  const discovery = { getProviders: () => [...providers, ...providers].map((instance) => ({ instance })) };
  return new ErasureService(discovery as unknown as DiscoveryService, fences as unknown as ErasureFences);
}
beforeEach(() => (done = []));

it('erases what has no fence before the erasure is recorded, the rest after it, and what refers to other data last', async () => {
  expect(await service().eraseUser(owner)).toEqual({ letters: 2, notes: 0, index: 0 });
  expect(done).toEqual(['notes of u', 'recorded', 'letters of u before 7', 'index of u before 7']);
});

it('erases the data of a project besides its messages', async () => {
  expect(await service().eraseProject('p', false)).toEqual({ letters: 0, notes: 3, index: 0 });
  await service().eraseProject('p', true);
  expect(done).toEqual(['notes of p, kept', 'notes of p, removed']);
});

it('erases what crashes have left of recorded erasures, until it has to stop', async () => {
  const known = [
    { project_id: 'p', user_id: 'u', number: 4 },
    { project_id: 'gone', number: 5 },
    { project_id: 'erased', number: 6, messages_erased: 6 },
    { project_id: 'p', user_id: 'later', number: 8 },
  ];
  let checks = 0;
  await service(known).eraseLeftovers(() => ++checks > 3);
  expect(done).toEqual([
    'left letters of u before 4',
    'notes of gone, removed',
    'notes of erased, removed',
    'left letters of erased before 6',
  ]);
});
