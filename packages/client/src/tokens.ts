/** One token for all requests, fetched on first use. Concurrent requests share the fetch. */
export class Tokens {
  private current?: Promise<string>;

  constructor(private readonly issue: () => Promise<string>) {}

  get(): Promise<string> {
    if (this.current) return this.current;
    const issued = this.issue();
    issued.catch(() => this.invalidate(issued));
    return (this.current = issued);
  }

  /** Makes the next request fetch a new token. Of several requests with the same expired token, only the first has an effect. */
  invalidate(refused: Promise<string>): void {
    if (this.current === refused) this.current = undefined;
  }
}
