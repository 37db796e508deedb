import { constants } from 'node:fs';
import { appendFile, copyFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_PHONEME_ID } from './piper.config.js';
import type { PiperModel } from './piper.model.js';

// The used part of sherpa-onnx-node, which has no types.
interface Sherpa {
  OfflineTts: new (config: object) => {
    generate(request: { text: string; sid: number; speed: number; enableExternalBuffer: boolean }): {
      samples: Float32Array;
    };
  };
}

const PACKAGE: string = 'sherpa-onnx-node';
/** The first character of a private use area stands for id 0, the next for 1. */
const FIRST = 0xe000;

/** A loaded Piper model. */
export class PiperVoice {
  private constructor(
    private readonly tts: InstanceType<Sherpa['OfflineTts']>,
    private readonly model: PiperModel,
  ) {}

  /**
   * Loads a model with sherpa-onnx. That expects metadata in the model that Piper has in its `.onnx.json`, and
   * generates phonemes itself: so it gets a copy with the metadata, in which each character is mapped to an id.
   *
   * @param directory for the copy, which is removed at once
   * @throws Error with the code `MODULE_NOT_FOUND` or `ERR_MODULE_NOT_FOUND` if the optional package is not installed
   */
  static async load(model: PiperModel, directory: string): Promise<PiperVoice> {
    const { default: sherpa } = (await import(PACKAGE)) as { default: Sherpa };
    const { sampleRate, speakers, noiseScale, noiseW } = model.config;
    const facts = {
      sample_rate: sampleRate,
      n_speakers: speakers,
      language: 'any',
      comment: 'coqui',
      frontend: 'characters',
      add_blank: 0,
      use_eos_bos: 0,
    };
    const [copy, tokens] = [join(directory, 'model.onnx'), join(directory, 'tokens.txt')];
    try {
      await copyFile(model.file, copy, constants.COPYFILE_FICLONE);
      await appendFile(copy, Buffer.concat(Object.entries(facts).map(([key, value]) => fact(key, String(value)))));
      const ids = Array.from({ length: MAX_PHONEME_ID + 1 }, (_, id) => `${character(id)} ${id}\n`);
      await writeFile(tokens, ids.join(''));
      const vits = { model: copy, tokens, noiseScale, noiseScaleW: noiseW, lengthScale: 1 };
      // One thread, as for recognition: the other CPUs are for the service.
      const tts = new sherpa.OfflineTts({ model: { vits, numThreads: 1, provider: 'cpu', debug: 0 } });
      return new PiperVoice(tts, model);
    } finally {
      await Promise.all([copy, tokens].map((file) => rm(file, { force: true })));
    }
  }

  /** @param rate 1 is the model's default speed. @returns samples from -1 to 1 */
  generate(ids: readonly number[], speaker: number, rate: number): Float32Array {
    const text = ids.map(character).join('');
    const speed = rate / this.model.config.lengthScale;
    return this.tts.generate({ text, sid: speaker, speed, enableExternalBuffer: false }).samples;
  }
}

function character(id: number): string {
  return String.fromCodePoint(FIRST + id);
}

/** An entry of metadata_props (field 14) of an ONNX file. Protocol Buffers allow fields in any order. */
function fact(key: string, value: string): Buffer {
  return field(14, Buffer.concat([field(1, Buffer.from(key)), field(2, Buffer.from(value))]));
}

/** Shorter than 128 bytes. */
function field(number: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([number * 8 + 2, content.length]), content]);
}
