/** One token for all requests, got when it is first needed. Requests that need one at the same time share the getting. */
export class Tokens {
  private current?: Promise<string>;

  constructor(private readonly issue: () => Promise<string>) {}

  get(): Promise<string> {
    if (this.current) return this.current;
    const issued = this.issue();
    issued.catch(() => this.forget(issued));
    return (this.current = issued);
  }

  /** The next request gets another one. Of many requests with the same expired token, only the first has an effect. */
  forget(refused: Promise<string>): void {
    if (this.current === refused) this.current = undefined;
  }
}
