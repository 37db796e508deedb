/** A video in progress. Any number of readers get the same bytes, each from the beginning. */
export class RenderedVideo {
  /** Resolves with the first piece: false if rendering failed before it. */
  readonly begun: Promise<boolean>;
  /** The whole file, with its index first; undefined if rendering failed. */
  readonly whole: Promise<Uint8Array | undefined>;
  private readonly pieces: Uint8Array[] = [];
  /** Pieces of the current attempt. */
  private received = 0;
  /** Whether it was dropped for others. */
  isUnwanted = false;
  private state: 'going' | 'done' | 'failed' = 'going';
  private wake: () => void = () => undefined;
  private more = this.waitForPiece();
  private tellBegun!: (hasBegun: boolean) => void;
  private tellWhole!: (whole: Uint8Array | undefined) => void;

  constructor() {
    this.begun = new Promise((resolve) => (this.tellBegun = resolve));
    this.whole = new Promise((resolve) => (this.tellWhole = resolve));
  }

  get hasFailed(): boolean {
    return this.state === 'failed';
  }

  /** The fragmented form, while it is rendered. @throws Error if rendering fails midway */
  async *read(): AsyncGenerator<Uint8Array, void> {
    for (let at = 0; ;) {
      const piece = this.pieces[at];
      if (piece) {
        at++;
        yield piece;
      } else if (this.state === 'failed') throw new Error('The video could not be rendered to its end');
      else if (this.state === 'done') return;
      else await this.more;
    }
  }

  /** Rendering restarts: the pieces that readers already have will be identical as far as they can tell. @internal */
  restart(): void {
    this.received = 0;
  }

  /** @internal */
  addPiece(piece: Uint8Array): void {
    if (++this.received <= this.pieces.length) return;
    this.pieces.push(piece);
    // The first piece may only contain the file type.
    if (this.pieces.length > 1) this.tellBegun(true);
    this.change();
  }

  /** Others need its place: it has not failed by itself. @internal */
  dropVideo(): void {
    this.isUnwanted = true;
    this.finishVideo();
  }

  /** @internal */
  finishVideo(whole?: Uint8Array): void {
    this.state = whole ? 'done' : 'failed';
    this.tellBegun(whole !== undefined);
    this.tellWhole(whole);
    this.change();
  }

  private change(): void {
    const { wake } = this;
    this.more = this.waitForPiece();
    wake();
  }

  private waitForPiece(): Promise<void> {
    return new Promise((resolve) => (this.wake = resolve));
  }
}
