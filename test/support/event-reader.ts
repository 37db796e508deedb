import { get, type IncomingMessage } from 'node:http';

export interface ReadEvent {
  event: string;
  data: any;
  id?: string;
}

/** The events of an event stream, as they arrive. */
export class EventReader {
  readonly events: ReadEvent[] = [];
  /** Everything that has arrived. */
  text = '';
  isEnded = false;
  private parsed = 0;
  private readonly waiting = new Set<() => void>();

  private constructor(readonly response: IncomingMessage) {
    response.setEncoding('utf8');
    response.on('data', (part: string) => this.read(part));
    response.on('error', () => undefined); // and then it closes
    response.on('close', () => {
      this.isEnded = true;
      this.wake();
    });
  }

  static open(port: number, path: string, headers: Record<string, string>): Promise<EventReader> {
    return new Promise((resolve, reject) => {
      get({ port, host: '127.0.0.1', path, headers, agent: false }, (response) =>
        resolve(new EventReader(response)),
      ).on('error', reject);
    });
  }

  get status(): number {
    return this.response.statusCode!;
  }

  /** Their data, of one kind. */
  of(event: string): any[] {
    return this.events.filter((one) => one.event === event).map(({ data }) => data);
  }

  /** Waits for so many events of a kind; fails after 30 s. */
  async until(event: string, count = 1): Promise<any[]> {
    await this.waitFor(() => this.of(event).length >= count, `${count} of ${event}`);
    return this.of(event);
  }

  untilEnd(): Promise<void> {
    return this.waitFor(() => this.isEnded, 'the end');
  }

  close(): void {
    this.response.destroy();
  }

  private async waitFor(isThere: () => boolean, what: string): Promise<void> {
    const end = Date.now() + 30_000;
    while (!isThere()) {
      if (Date.now() > end) throw new Error(`Not ${what}, but ${JSON.stringify(this.text.slice(-2000))}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 200);
        this.waiting.add(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  private read(part: string): void {
    this.text += part;
    for (let end; (end = this.text.indexOf('\n\n', this.parsed)) >= 0; this.parsed = end + 2) {
      const lines = this.text.slice(this.parsed, end).split('\n');
      const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const [event, id] = [field('event'), field('id')];
      if (event !== undefined)
        this.events.push({ event, data: JSON.parse(field('data')!), ...(id === undefined ? {} : { id }) });
    }
    this.wake();
  }

  private wake(): void {
    for (const wake of this.waiting) wake();
    this.waiting.clear();
  }
}
