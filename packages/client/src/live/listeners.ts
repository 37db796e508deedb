export type Listener = (event: never) => void;

/** The listeners of a session, by the type of event. */
export class Listeners {
  private readonly byType = new Map<string, Set<Listener>>();

  /** @returns a function that removes the listener */
  add(type: string, listener: Listener): () => void {
    const listeners = this.byType.get(type) ?? new Set();
    this.byType.set(type, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  notify(event: { type: string }): void {
    for (const listener of this.byType.get(event.type) ?? []) listener(event as never);
  }

  clear(): void {
    this.byType.clear();
  }
}
