import type { AvatarFiles } from './avatar.drawing.js';
import { PORTRAIT_FILE_LIMIT } from './portrait.limit.js';
import { PortraitError } from './portrait.error.js';

/**
 * Makes the icons, the start button and the idle video of a portrait, as catalogues name them. Loads the optional packages
 * for videos.
 *
 * @param portrait an SVG
 * @throws PortraitError for a drawing that is no portrait. Error with the code `ERR_MODULE_NOT_FOUND` where the optional
 * packages are not installed
 */
export async function renderAvatar(portrait: Uint8Array): Promise<AvatarFiles> {
  if (portrait.length > PORTRAIT_FILE_LIMIT) throw new PortraitError('The portrait is larger than 10 MB.');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(portrait);
  } catch {
    throw new PortraitError('The portrait is not UTF-8 text.');
  }
  const { avatarFiles } = await import('./avatar.drawing.js');
  return avatarFiles(text);
}
