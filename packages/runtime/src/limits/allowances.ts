/** How many users may share an address. */
const USERS_OF_ADDRESS = 8;
/** Number of accounts above which those that are full again are dropped. */
const MAX_ACCOUNTS = 1000;

/** What a holder has left, possibly negative, at a time in milliseconds. */
interface Account {
  left: number;
  at: number;
}

/** Allowances that holders spend, up to a burst, and regain with time. They outlive connections. */
export class Allowances {
  private readonly accounts = new Map<string, Account>();

  constructor(
    private readonly burst: number,
    private readonly perSecond: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * @param holders who spends it: the user, then possibly the address, which may spend as much as eight users
   * @returns milliseconds until it is regained; 0 if it was available
   */
  spend(holders: readonly string[], cost: number): number {
    const waits = holders.map((holder, respect) => this.spendOf(holder, cost, respect === 0 ? 1 : USERS_OF_ADDRESS));
    return Math.max(0, ...waits);
  }

  private spendOf(holder: string, cost: number, scale: number): number {
    const now = this.now();
    let account = this.accounts.get(holder);
    if (!account) {
      if (this.accounts.size >= MAX_ACCOUNTS) this.dropFull(now);
      this.accounts.set(holder, (account = { left: this.burst * scale, at: now }));
    }
    const perMs = (this.perSecond * scale) / 1000;
    account.left = Math.min(this.burst * scale, account.left + (now - account.at) * perMs) - cost;
    account.at = now;
    return -account.left / perMs;
  }

  private dropFull(now: number): void {
    for (const [holder, { left, at }] of this.accounts)
      if (left + ((now - at) * this.perSecond) / 1000 >= this.burst) this.accounts.delete(holder);
  }
}
