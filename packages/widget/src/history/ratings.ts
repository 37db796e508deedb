import type { TurnClient } from 'avatar-chat-client';

export type Rating = 'up' | 'down';

/** The user's ratings of answers, as stored by the service. */
export class Ratings {
  private readonly known = new Map<string, Rating | null>();

  constructor(private readonly client: TurnClient) {}

  of(message_id: string): Rating | null {
    return this.known.get(message_id) ?? null;
  }

  /** Loads the ratings of some answers. If loading fails, they count as not rated. */
  async load(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    type Found = { ratings: { message_id: string; rating: Rating }[] };
    const found = await this.client.request<Found>(`/messages/ratings?ids=${ids.join()}`).catch(() => undefined);
    for (const { message_id, rating } of found?.ratings ?? []) this.known.set(message_id, rating);
  }

  /** @throws AvatarChatError without changing anything */
  async set(message_id: string, rating: Rating | null): Promise<void> {
    await this.client.request(`/messages/${encodeURIComponent(message_id)}/rating`, {
      method: 'PUT',
      body: { rating },
    });
    this.known.set(message_id, rating);
  }
}
