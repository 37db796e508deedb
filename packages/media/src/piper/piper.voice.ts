import { constants } from 'node:fs';
import { appendFile, copyFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadSherpa, type Voice } from '../recognition/sherpa.library.js';
import { field, MODEL } from './onnx.fields.js';
import { MAX_PHONEME_ID } from './piper.config.js';
import { appendDurations } from './piper.durations.js';
import type { PiperModel } from './piper.model.js';

/** The first character of a private use area stands for id 0, the next for 1. */
const FIRST = 0xe000;

/** A generated sentence. */
export interface PiperSound {
  /** From -1 to 1. */
  readonly samples: Float32Array;
  /** When each id ends, in seconds, if the model tells. */
  readonly ends?: readonly number[] | undefined;
}

/** A loaded Piper model. */
export class PiperVoice {
  private constructor(
    private readonly tts: Voice,
    private readonly model: PiperModel,
    private readonly hasDurations: boolean,
  ) {}

  /**
   * Loads a model with sherpa-onnx. That expects metadata in the model that Piper has in its `.onnx.json`, and
   * generates phonemes itself: so it gets a copy with the metadata, in which each character is mapped to an id.
   *
   * @param directory for the copy, which is removed at once
   * @throws Error with the code `MODULE_NOT_FOUND` or `ERR_MODULE_NOT_FOUND` if the optional package is not installed
   */
  static async load(model: PiperModel, directory: string): Promise<PiperVoice> {
    const { OfflineTts } = await loadSherpa();
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
      const hasDurations = appendDurations(copy);
      await appendFile(copy, Buffer.concat(Object.entries(facts).map(([key, value]) => fact(key, String(value)))));
      const ids = Array.from({ length: MAX_PHONEME_ID + 1 }, (_, id) => `${character(id)} ${id}\n`);
      await writeFile(tokens, ids.join(''));
      const vits = { model: copy, tokens, noiseScale, noiseScaleW: noiseW, lengthScale: 1 };
      // One thread, as for recognition: the other CPUs are for the service.
      const settings = { vits, numThreads: 1, provider: 'cpu', debug: 0 };
      // Pauses are not shortened, since they count in the durations.
      return new PiperVoice(new OfflineTts({ model: settings, silenceScale: 1 }), model, hasDurations);
    } finally {
      await Promise.all([copy, tokens].map((file) => rm(file, { force: true })));
    }
  }

  /** @param rate 1 is the model's default speed */
  generate(ids: readonly number[], speaker: number, rate: number): PiperSound {
    const text = ids.map(character).join('');
    const speed = rate / this.model.config.lengthScale;
    const { samples } = this.tts.generate({ text, sid: speaker, speed, enableExternalBuffer: false });
    if (!this.hasDurations) return { samples };
    const sound = samples.subarray(0, samples.length - ids.length);
    let frames = 0;
    const counts = Array.from(samples.subarray(sound.length), (count) => (frames += count));
    const frame = sound.length / this.model.config.sampleRate / frames;
    return { samples: sound, ends: frame > 0 ? counts.map((count) => count * frame) : undefined };
  }
}

function character(id: number): string {
  return String.fromCodePoint(FIRST + id);
}

/** An entry of metadata. Protocol Buffers allow fields in any order. */
function fact(key: string, value: string): Buffer {
  return field(MODEL.metadata, Buffer.concat([field(1, key), field(2, value)]));
}
