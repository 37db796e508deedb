import { fstatSync, readSync } from 'node:fs';

/** One of the two meta pages of an LMDB file: the roots of a snapshot's trees. */
export interface Snapshot {
  transaction: bigint;
  pageSize: number;
  /** The pages that the snapshot counts, including pages never written. */
  pages: number;
  freeRoot: bigint;
  mainRoot: bigint;
}

const BRANCH = 1;
const LEAF = 2;
const BIG_DATA = 1;
const SUB_TREE = 2;
/** The `root` of an empty tree. */
const NONE = 2n ** 64n - 1n;
const PAGE_HEADER = 24;
const NODE_HEADER = 8;
/** The offset of the root in a tree's descriptor. */
const ROOT = 40;
/** LMDB's own limit. */
const MAX_DEPTH = 32;
/** If more pages than this are missing at the end of the file, skip the free list and read the trees. */
const MAX_FREE = 2 ** 24;

interface Node {
  flags: number;
  /** The child page of a branch node. */
  child: bigint;
  /** The data of a leaf node. */
  data: Buffer;
}

/**
 * Whether the file ends before a page that a snapshot needs. LMDB counts pages that were freed in the transaction that
 * first used them but never writes them, so an intact file may be shorter than its page count suggests.
 *
 * @param handle of a file that begins with valid meta pages
 */
export function endsTooEarly(handle: number, snapshot: Snapshot): boolean {
  const { size } = fstatSync(handle);
  if (size >= snapshot.pages * snapshot.pageSize) return false;
  const written = Math.floor(size / snapshot.pageSize);
  const reader = new PageReader(handle, snapshot.pageSize, written);
  try {
    // The free list is short. The trees are read only if it does not decide.
    return !reader.areFree(snapshot.freeRoot, snapshot.pages) && !reader.isWhole(snapshot);
  } catch (error) {
    if (error instanceof RangeError) return true;
    throw error;
  }
}

/** Reads the trees of an LMDB file without LMDB, which would crash on a missing page. */
class PageReader {
  /** A tree with more pages than the file has a cycle. */
  private left = 0;

  constructor(
    private readonly handle: number,
    private readonly pageSize: number,
    /** The number of pages in the file. */
    private readonly written: number,
  ) {}

  /** Whether the free list contains every page from the end of the file on. */
  areFree(freeRoot: bigint, pages: number): boolean {
    this.left = this.written;
    const free = new Uint8Array(Math.min(pages - this.written, MAX_FREE));
    let left = pages - this.written;
    for (const { flags, data } of this.leaves(freeRoot)) {
      const list = flags & BIG_DATA ? this.overflow(data) : data;
      const entries = Math.min(Number(list.readBigInt64LE(0)), list.length / 8 - 1);
      for (let i = 1; i <= entries; i++) {
        const entry = Number(list.readBigInt64LE(i * 8));
        // A negative entry is the length of a block that begins at the next one.
        const length = entry < 0 ? -entry : 1;
        const first = entry < 0 ? Number(list.readBigInt64LE(++i * 8)) : entry;
        const from = Math.max(first - this.written, 0);
        for (let i = from; i < Math.min(first + length - this.written, free.length); i++) {
          if (!free[i]) left--;
          free[i] = 1;
        }
      }
    }
    return left === 0;
  }

  /** Whether every page of every tree exists. @throws RangeError if one does not, or is not a tree page. */
  isWhole({ freeRoot, mainRoot }: Snapshot): boolean {
    this.left = this.written;
    const roots = [freeRoot, mainRoot];
    for (let root = roots.pop(); root !== undefined; root = roots.pop()) {
      for (const { flags, data } of this.leaves(root)) {
        if (flags & BIG_DATA) this.checkOverflow(data);
        else if (flags & SUB_TREE) roots.push(data.readBigUInt64LE(ROOT));
      }
    }
    return true;
  }

  private *leaves(page: bigint, depth = 0): Generator<Node> {
    if (page === NONE) return;
    if (depth > MAX_DEPTH) throw new RangeError('the tree is too deep');
    const bytes = this.read(page, 1);
    const kind = bytes.readUInt16LE(18);
    if (!(kind & (BRANCH | LEAF))) throw new RangeError('not a page of a tree');
    for (const node of nodesOf(bytes)) {
      if (kind & LEAF) yield node;
      else yield* this.leaves(node.child, depth + 1);
    }
  }

  private checkOverflow(data: Buffer): { page: bigint; pages: number } {
    const [page, pages] = [data.readBigUInt64LE(0), Number(data.readBigUInt64LE(16))];
    if (page + BigInt(pages) > BigInt(this.written)) throw new RangeError('a page is missing');
    return { page, pages };
  }

  private overflow(data: Buffer): Buffer {
    const { page, pages } = this.checkOverflow(data);
    return this.read(page, pages).subarray(PAGE_HEADER);
  }

  private read(page: bigint, pages: number): Buffer {
    if (page + BigInt(pages) > BigInt(this.written) || this.left-- <= 0) throw new RangeError('a page is missing');
    const bytes = Buffer.allocUnsafe(pages * this.pageSize);
    if (readSync(this.handle, bytes, 0, bytes.length, Number(page) * this.pageSize) < bytes.length)
      throw new RangeError('a page is missing');
    return bytes;
  }
}

function* nodesOf(page: Buffer): Generator<Node> {
  const count = page.readUInt16LE(20) >> 1;
  for (let i = 0; i < count; i++) {
    const at = PAGE_HEADER + page.readUInt16LE(PAGE_HEADER + i * 2);
    const [low, high] = [page.readUInt16LE(at), page.readUInt16LE(at + 2)];
    const [flags, keySize] = [page.readUInt16LE(at + 4), page.readUInt16LE(at + 6)];
    const from = at + NODE_HEADER + keySize;
    const size = low + high * 2 ** 16;
    yield {
      flags,
      child: BigInt(size) + BigInt(flags) * 2n ** 32n,
      data: page.subarray(from, flags & BIG_DATA ? from + 24 : from + size),
    };
  }
}
