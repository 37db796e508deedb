import type { TurnRequest } from 'avatar-chat-client';
import { keep, kept } from './kept.js';

/** A message that has not arrived, or was not answered, as it is sent again: the same turn, by the same key. */
export interface Unsent {
  key: string;
  turn: TurnRequest;
  /** Unix time in milliseconds. */
  at: number;
  /** When the newest message before it was stored, by the clock of the service. */
  after: number;
  /** Why; `unsent` where the page was left before the service had said anything. */
  code: string;
  message: string;
  status: number;
  /** The `_id` of the message, if the service has stored it. */
  id?: string;
}

const MAX_UNSENT = 20;
const MAX_CUT = 200;

/** What this browser keeps of one user: across reloads, and for other tabs. */
export class Store {
  /** @param user names the user, within a project of a service */
  constructor(private readonly user: string) {}

  /** What is written and not sent. */
  get draft(): string {
    return this.get('draft') ?? '';
  }
  set draft(text: string) {
    this.set('draft', text || undefined);
  }

  /** Whether the user has chosen whom to talk with. */
  get hasChosen(): boolean {
    return this.get('chosen') !== null;
  }
  set hasChosen(chosen: boolean) {
    this.set('chosen', chosen ? 'yes' : undefined);
  }

  /** The messages until then, in Unix milliseconds, belong to earlier conversations. */
  get since(): number {
    return Number(this.get('since') ?? 0);
  }
  set since(date: number) {
    this.set('since', date ? String(date) : undefined);
  }

  get unsent(): Unsent[] {
    return this.list<Unsent>('unsent').filter(({ key, turn }) => typeof key === 'string' && turn);
  }

  hold(unsent: Unsent): void {
    const others = this.unsent.filter(({ key }) => key !== unsent.key);
    this.setList('unsent', [...others, unsent].slice(-MAX_UNSENT));
  }

  drop(key: string): void {
    const all = this.unsent;
    const others = all.filter((one) => one.key !== key);
    if (others.length < all.length) this.setList('unsent', others);
  }

  /** Whether an answer was interrupted. @param id its own `_id`, or that of the message that it answers */
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
    return kept(`${name}:${this.user}`);
  }

  private set(name: string, value: string | undefined): void {
    keep(`${name}:${this.user}`, value);
  }
}
