import { join } from 'node:path';
import { type ModelStore } from '../models/model.store.js';
import { MOONSHINE } from '../models/model.list.js';

/** The Silero voice activity detection file installed with the model for English. */
export async function installedSilero(models: ModelStore): Promise<string | undefined> {
  const found = await models.find(MOONSHINE);
  return typeof found === 'string' ? undefined : join(found.directory, 'silero_vad.onnx');
}
