import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { assertSafe, readRemote, type RemoteFile } from './hub.download.js';
import { ModelError } from './model.error.js';
import {
  type Model,
  type ModelFacts,
  MODELS,
  MOONSHINE,
  ONNX_RUNTIME,
  SILERO,
  SMART_TURN,
  type Sources,
  SOURCES,
} from './model.list.js';
import type { ModelStore } from './model.store.js';

const VOICES = 'rhasspy/piper-voices';
const MAX_INDEX_BYTES = 8 * 2 ** 20;
const MAX_CARD_BYTES = 2 ** 16;
const MAX_VOICE_BYTES = 2 ** 30;
/** Terms that forbid commercial use. */
const RESTRICTED = /non-?commercial|\bNC\b|research|\bpersonal use/i;

/** An entry of the hub's list of voices, as far as it is used. */
interface IndexedVoice {
  readonly language: { readonly family: string };
  readonly quality: string;
  readonly files: Readonly<Record<string, { readonly size_bytes: number; readonly md5_digest: string }>>;
}

/** Where models come from: npm, and a hub such as Hugging Face, whose address the operator may change. */
export class ModelSources {
  private index?: Promise<Readonly<Record<string, IndexedVoice>>>;

  /** @param hub its base URL */
  constructor(
    private readonly hub: string,
    private readonly store: ModelStore,
  ) {}

  get languages(): string[] {
    return Object.keys(SOURCES.languages);
  }

  /** The models that are recommended, and those that other models need, without looking at the hub. */
  get listed(): Model[] {
    const voices = Object.keys(SOURCES.voices).map((key) =>
      this.withVoice(key, [voiceLanguage(key)], qualityOf(key), []),
    );
    return [...MODELS, ...SOURCES.models.map((model) => this.fromHub(model)), ...voices];
  }

  /**
   * The models that a target stands for: a language, a name, the URL or the path of a Piper voice.
   *
   * @param onLack is called if the hub lacks a voice of a language; the others are returned
   * @throws ModelError
   */
  async resolve(target: string, onLack: (reason: string) => void = () => undefined): Promise<Model[]> {
    const own = SOURCES.languages[target.toLowerCase().split(/[-_]/, 1)[0]!];
    if (own && target.length <= 8) {
      const models = await this.withNeeds(own.recogniser);
      for (const key of own.voices)
        await this.voice(key).then(
          (model) => models.push(model),
          (error: Error) => onLack(error.message),
        );
      return models;
    }
    const known = this.listed.find(({ name }) => name === target);
    if (known && known.purpose !== 'voice') return this.withNeeds(target);
    if (/^https?:\/\//i.test(target) && URL.canParse(target)) return [this.fromUrl(new URL(target))];
    if (target.startsWith('piper-')) return [await this.voice(target.slice('piper-'.length))];
    if (target.endsWith('.onnx') && existsSync(target)) return [this.fromUrl(pathToFileURL(resolve(target)))];
    const names = this.listed.map(({ name }) => name).join(', ');
    throw new ModelError(
      `There is no language, model or file '${target}'. Languages: ${this.languages.join(', ')}. Models: ${names}, and piper-NAME for each voice of Piper.`,
    );
  }

  /** With what the model needs besides. */
  private async withNeeds(name: string): Promise<Model[]> {
    const model = this.listed.find((one) => one.name === name)!;
    if (name === SMART_TURN) return MODELS.includes(ONNX_RUNTIME) ? [model, ONNX_RUNTIME] : [model];
    const needsSilero = model.purpose === 'recognition' && model.name !== MOONSHINE.name;
    return needsSilero && !(await this.store.isInstalled(MOONSHINE)) ? [model, SILERO] : [model];
  }

  private fromHub({ repository, files, ...facts }: Sources['models'][number]): Model {
    return { ...facts, packages: [], files: files.map((file) => this.remote(repository, file.path, file)) };
  }

  private remote(repository: string, path: string, known: Pick<RemoteFile, 'size' | 'sha256' | 'md5'>): RemoteFile {
    const url = `${this.hub.replace(/\/$/, '')}/${repository}/resolve/main/${path.split('/').map(encodeURIComponent).join('/')}`;
    return { name: basename(path), url, size: known.size, sha256: known.sha256, md5: known.md5 };
  }

  private withVoice(key: string, languages: string[], quality: string, files: RemoteFile[], licence?: string): Model {
    const known = SOURCES.voices[key];
    return {
      name: `piper-${key}`,
      purpose: 'voice',
      languages,
      ...(known?.gender ? { gender: known.gender } : {}),
      quality,
      licence: licence || (known?.licence ?? 'not stated'),
      licenceSource: `https://huggingface.co/${VOICES}`,
      size: files.length > 0 ? files.reduce((sum, { size = 0 }) => sum + size, 0) : (known?.size ?? 0),
      packages: [],
      files,
    };
  }

  /** A voice of the hub's list; an installed one without looking at the hub. */
  private async voice(key: string): Promise<Model> {
    const there = await this.store.installed(`piper-${key}`);
    if (there) return { ...there.facts, packages: [], files: [], size: there.size };
    const entry = Object.entries(await this.voices()).find(([name]) => name === key)?.[1];
    if (!entry) throw new ModelError(`The hub has no voice '${key}'.`);
    const files = ['.onnx', '.onnx.json'].map((end) => {
      const [path = '', listed] = Object.entries(entry.files).find(([one]) => basename(one) === `${key}${end}`) ?? [];
      const { size_bytes: size = 0, md5_digest: md5 = '' } = listed ?? {};
      if (!/^[\p{L}\p{N}_.+/-]{1,200}$/u.test(path) || path.includes('..'))
        throw new ModelError(`The hub's list of voices lacks a file of '${key}', or has an unusable path.`);
      if (!Number.isInteger(size) || size <= 0 || size > MAX_VOICE_BYTES || !/^[0-9a-f]{32}$/.test(md5))
        throw new ModelError(`The hub's list of voices has an unusable size or digest for '${key}'.`);
      return this.remote(VOICES, path, { size, md5 });
    });
    // Cards are edited without a change of the list.
    const card = Object.keys(entry.files).find((path) => basename(path) === 'MODEL_CARD');
    const text = card && (await readRemote(this.remote(VOICES, card, {}), MAX_CARD_BYTES).catch(() => ''));
    const licence = /^\W{0,8}licen[cs]e:([^\n]*)$/im
      .exec(text ?? '')?.[1]
      ?.replace(/[^\x20-\x7e]/g, '')
      .trim()
      .slice(0, 80);
    return this.withVoice(key, [entry.language.family], entry.quality, files, licence);
  }

  private fromUrl(url: URL): Model {
    if (url.protocol !== 'file:') assertSafe(url);
    const file = decodeURIComponent(basename(url.pathname));
    if (!/^[\p{L}\p{N}][\p{L}\p{N}._-]{0,80}\.onnx$/u.test(file))
      throw new ModelError('A voice is the URL or the path of an .onnx file, with its .onnx.json beside it.');
    const config = new URL(url);
    config.pathname += '.json';
    const key = file.replace(/\.onnx$/, '');
    const files = [
      { name: file, url: url.href },
      { name: `${file}.json`, url: config.href },
    ];
    // Its language is read from its configuration.
    return {
      ...this.withVoice(key, [], qualityOf(key), files),
      licenceSource: url.protocol === 'file:' ? 'a file' : url.host,
    };
  }

  private voices(): Promise<Readonly<Record<string, IndexedVoice>>> {
    return (this.index ??= readRemote(this.remote(VOICES, 'voices.json', {}), MAX_INDEX_BYTES).then((text) => {
      try {
        const index = JSON.parse(text) as Record<string, IndexedVoice>;
        for (const { language, quality, files } of Object.values(index))
          if (!/^[a-z]{2,3}$/.test(language.family) || !/^\w{1,20}$/.test(quality) || typeof files !== 'object')
            throw new TypeError();
        return index;
      } catch {
        throw new ModelError("The hub's list of voices is not one.");
      }
    }));
  }
}

/** Whether the terms of a model forbid commercial use, so that they have to be accepted. */
export function isRestricted({ licence }: Pick<ModelFacts, 'licence'>): boolean {
  return RESTRICTED.test(licence.replaceAll(/[_-]/g, ' '));
}

/** `en` of `en_US-joe-medium`. */
function voiceLanguage(key: string): string {
  return key.split('_', 1)[0]!;
}

/** `medium` of `en_US-joe-medium`. */
function qualityOf(key: string): string {
  return key.split('-').at(-1)!;
}
