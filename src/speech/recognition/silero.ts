import { join } from 'node:path';
import { type ModelStore, MOONSHINE } from '../../models/index.js';

/** The Silero voice activity detection file installed with the model for English. */
export async function installedSilero(models: ModelStore): Promise<string | undefined> {
  const found = await models.find(MOONSHINE);
  return typeof found === 'string' ? undefined : join(found.directory, 'silero_vad.onnx');
}
