import type { TurnRequest } from 'avatar-chat-client';
import { storeValue, storedValue } from './storage.js';

/** A message that did not arrive, or got no answer. It is sent again as the same turn, with the same key. */
export interface Unsent {
  key: string;
  turn: TurnRequest;
  /** Unix time in milliseconds. */
  at: number;
  /** The time of the newest message before it, by the service's clock. */
  after: number;
  /** The error code; `unsent` if the page was left before the service had responded. */
  code: string;
  message: string;
  status: number;
  /** The `_id` of the message, if the service has stored it. */
  id?: string;
}

const MAX_UNSENT = 20;
const MAX_CUT = 200;

/** Per-user data in this browser, across reloads and tabs. */
export class UserStorage {
  /** @param user identifies the user, within a project of a service */
  constructor(private readonly user: string) {}

  /** The unsent text. */
  get draft(): string {
    return this.get('draft') ?? '';
  }
  set draft(text: string) {
    this.set('draft', text || undefined);
  }

  /** Whether the user has chosen an avatar. */
  get hasChosen(): boolean {
    return this.get('chosen') !== null;
  }
  set hasChosen(chosen: boolean) {
    this.set('chosen', chosen ? 'yes' : undefined);
  }

  /** Messages up to this time (Unix time in milliseconds) belong to earlier conversations. */
  get since(): number {
    return Number(this.get('since') ?? 0);
  }
  set since(date: number) {
    this.set('since', date ? String(date) : undefined);
  }

  get unsent(): Unsent[] {
    return this.list<Unsent>('unsent').filter(({ key, turn }) => typeof key === 'string' && turn);
  }

  addUnsent(unsent: Unsent): void {
    const others = this.unsent.filter(({ key }) => key !== unsent.key);
    this.setList('unsent', [...others, unsent].slice(-MAX_UNSENT));
  }

  removeUnsent(key: string): void {
    const all = this.unsent;
    const others = all.filter((one) => one.key !== key);
    if (others.length < all.length) this.setList('unsent', others);
  }

  /** Whether an answer was interrupted. @param id its own `_id`, or that of the message it answers */
  isCut(id: string): boolean {
    return this.list<string>('cut').includes(id);
  }

  setCut(id: string, cut: boolean): void {
    const all = this.list<string>('cut');
    if (cut === all.includes(id)) return;
    this.setList('cut', (cut ? [...all, id] : all.filter((one) => one !== id)).slice(-MAX_CUT));
  }

  private list<T>(name: string): T[] {
    try {
      const value: unknown = JSON.parse(this.get(name) ?? '[]');
      return Array.isArray(value) ? (value as T[]) : [];
    } catch {
      return [];
    }
  }

  private setList(name: string, list: unknown[]): void {
    this.set(name, list.length > 0 ? JSON.stringify(list) : undefined);
  }

  private get(name: string): string | null {
    return storedValue(`${name}:${this.user}`);
  }

  private set(name: string, value: string | undefined): void {
    storeValue(`${name}:${this.user}`, value);
  }
}
