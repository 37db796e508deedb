import type { Project } from 'avatar-chat-catalogue';
import type { CatalogueService } from '../catalogue/index.js';
import { SystemClock } from '../platform/config/index.js';
import { IdentityService } from './identity.service.js';
import type { VerifierRegistry } from './verifier.registry.js';

const EXPIRY = 4_000_000_000;

/** Two projects that accept the same token, each with a verifier of its own. */
function identities(verify: Record<string, () => Promise<unknown>>) {
  const catalogue = { addCheck: () => undefined, knownProject: () => ({}) } as unknown as CatalogueService;
  const verifiers = { find: (kind: string) => ({ verify: verify[kind] }) } as unknown as VerifierRegistry;
  const projects = Object.keys(verify).map(
    (kind) => ({ project_id: `project-${kind}`, identity: { kind } }) as unknown as Project,
  );
  return new IdentityService(catalogue, verifiers, new SystemClock()).verify('a.b.c', projects);
}
const never = () => new Promise<never>(() => undefined);
const accepts = async () => ({ user_id: 'ann', expires_at: EXPIRY });

describe('a token that several projects may accept', () => {
  afterEach(() => jest.useRealTimers());

  it('is for the first that accepts it', async () => {
    await expect(identities({ one: accepts, two: accepts })).resolves.toMatchObject({ project_id: 'project-one' });
    const refuses = () => Promise.reject(new Error('not mine'));
    await expect(identities({ one: refuses, two: accepts })).resolves.toMatchObject({ project_id: 'project-two' });
  });

  it('waits for providers that do not answer only once', async () => {
    jest.useFakeTimers();
    const [all, one] = [identities({ one: never, two: never, three: never }), identities({ one: never, two: accepts })];
    const outcomes = Promise.allSettled([all, one]);
    await jest.advanceTimersByTimeAsync(3000);
    await expect(outcomes).resolves.toMatchObject([
      { status: 'rejected', reason: { code: 'service_unavailable' } },
      { status: 'fulfilled', value: { project_id: 'project-two' } },
    ]);
  });
});
