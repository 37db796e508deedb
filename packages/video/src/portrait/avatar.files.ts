import type { AvatarFiles } from './avatar.drawing.js';
import { PORTRAIT_FILE_LIMIT, PortraitError } from './portrait.error.js';

/**
 * Generates the icons, the start button and the idle video from a portrait, under the names of the catalogue. Loads the
 * optional packages for videos.
 *
 * @param portrait an SVG
 * @throws PortraitError if the drawing is not a valid portrait. Error with the code `ERR_MODULE_NOT_FOUND` if the
 *   optional packages are not installed
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
