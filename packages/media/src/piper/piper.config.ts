/** The used part of a Piper model's `.onnx.json`. */
export interface PiperConfig {
  /** Hz */
  readonly sampleRate: number;
  /** The eSpeak voice whose phonemes the model was trained with, such as `en-us`. */
  readonly espeakVoice: string;
  readonly noiseScale: number;
  /** 1 is the default, 2 twice as slow. */
  readonly lengthScale: number;
  readonly noiseW: number;
  readonly speakers: number;
  /** Speaker numbers by name, for a model with several. */
  readonly speakerIds: Readonly<Record<string, number>>;
  /** The model's phoneme ids for each character of IPA. */
  readonly phonemeIds: Readonly<Record<string, readonly number[]>>;
}

/** MP3 sample rates up to 24 kHz, where the length of a granule suits the encoder's bit rate. */
const SAMPLE_RATES = [16_000, 22_050, 24_000];
const MAX_SPEAKERS = 10_000;
/** The ids are sent as characters of a private use area, which has this size. */
export const MAX_PHONEME_ID = 6399;
/** Begin, end and padding. */
const NEEDED = ['^', '$', '_'];

type Fields = Readonly<Record<string, unknown>>;

/** Parses a model's configuration. @throws Error whose message describes the fault, without quoting the file */
export function parsePiperConfig(text: string): PiperConfig {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new Error('is not valid JSON');
  }
  const root = fields(parsed, 'the file');
  const [audio, espeak, inference] = (['audio', 'espeak', 'inference'] as const).map((name) =>
    fields(root[name] ?? {}, name),
  ) as [Fields, Fields, Fields];
  if ((root.phoneme_type ?? 'espeak') !== 'espeak') throw new Error('needs the phoneme_type "espeak"');
  const { voice } = espeak;
  if (typeof voice !== 'string' || !/^[a-z]{2,3}(-[a-z0-9]{1,12}){0,4}$/i.test(voice))
    throw new Error('has no espeak.voice');
  const sampleRate = audio.sample_rate as number;
  if (!SAMPLE_RATES.includes(sampleRate)) throw new Error(`needs an audio.sample_rate of ${SAMPLE_RATES.join(', ')}`);
  const speakers = Math.max(1, number(root, 'num_speakers', 1, MAX_SPEAKERS));
  return {
    sampleRate,
    espeakVoice: voice,
    noiseScale: number(inference, 'noise_scale', 0.667, 10),
    lengthScale: Math.max(0.1, number(inference, 'length_scale', 1, 10)),
    noiseW: number(inference, 'noise_w', 0.8, 10),
    speakers,
    speakerIds: Object.fromEntries(
      Object.entries(fields(root.speaker_id_map ?? {}, 'speaker_id_map')).map(([name, id]) => {
        if (!isIndex(id, speakers - 1)) throw new Error('has a speaker_id_map that is not one of names to numbers');
        return [name, id];
      }),
    ),
    phonemeIds: phonemeIds(root.phoneme_id_map),
  };
}

function phonemeIds(value: unknown): PiperConfig['phonemeIds'] {
  const map = fields(value, 'phoneme_id_map');
  for (const ids of Object.values(map))
    if (!Array.isArray(ids) || !ids.every((id) => isIndex(id, MAX_PHONEME_ID)))
      throw new Error('has a phoneme_id_map that is not one of characters to lists of numbers');
  if (!NEEDED.every((mark) => Object.hasOwn(map, mark))) throw new Error('has a phoneme_id_map without ^, $ or _');
  return map as PiperConfig['phonemeIds'];
}

function fields(value: unknown, name: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`needs an object: ${name}`);
  return value as Fields;
}

function number(from: Fields, name: string, usual: number, most: number): number {
  const value = from[name] ?? usual;
  if (typeof value !== 'number' || !(value >= 0 && value <= most)) throw new Error(`has an unusable ${name}`);
  return value;
}

function isIndex(value: unknown, most: number): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= most;
}
