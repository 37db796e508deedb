import { openSync, readSync } from 'node:fs';

/** The package's directory. */
const ROOT = '/usr/share/espeak-ng-data';

/** The part of Emscripten's file system that is used here. */
export interface EmscriptenFiles {
  readdir(path: string): string[];
  lookupPath(path: string): { node: EmscriptenNode };
  isDir(mode: number): boolean;
}
interface EmscriptenNode {
  readonly mode: number;
  /** Contents of a file; a view into the package's data until it is copied. */
  contents: Uint8Array;
}

/**
 * The data of eSpeak's package, 24 MB with the dictionaries of all languages: each file is read when it is opened, and
 * only the last one is kept in memory.
 */
export class EspeakData {
  private file?: number;
  private last?: { readonly place: number; readonly bytes: Uint8Array };

  /** Placeholder for the data while the package registers its files: untouched pages take no memory. */
  readonly open = (path: string, length: number): ArrayBuffer => {
    this.file = openSync(path, 'r');
    return new ArrayBuffer(length);
  };

  attach(files: EmscriptenFiles, directory = ROOT): void {
    for (const name of files.readdir(directory)) {
      if (name === '.' || name === '..') continue;
      const { node } = files.lookupPath(`${directory}/${name}`);
      if (files.isDir(node.mode)) this.attach(files, `${directory}/${name}`);
      else {
        const { byteOffset: place, length } = node.contents;
        Object.defineProperty(node, 'contents', { get: () => this.read(place, length) });
      }
    }
  }

  private read(place: number, length: number): Uint8Array {
    if (this.last?.place === place) return this.last.bytes;
    const bytes = new Uint8Array(length);
    readSync(this.file!, bytes, 0, length, place);
    this.last = { place, bytes };
    return bytes;
  }
}
