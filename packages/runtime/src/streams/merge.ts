/** Merges several sources in order of arrival, until all have ended. The first error ends all. */
export async function* merge<T>(...sources: AsyncGenerator<T, void>[]): AsyncGenerator<T, void> {
  const next = (source: AsyncGenerator<T, void>) => source.next().then((result) => ({ source, result }));
  const waiting = new Map(sources.map((source) => [source, next(source)]));
  try {
    while (waiting.size > 0) {
      const { source, result } = await Promise.race(waiting.values());
      waiting.delete(source);
      if (result.done) continue;
      yield result.value;
      waiting.set(source, next(source));
    }
  } finally {
    for (const promise of waiting.values()) promise.catch(() => undefined);
    // Not awaited: a source that hangs would block everything.
    for (const source of sources) void source.return().catch(() => undefined);
  }
}
