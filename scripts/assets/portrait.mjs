import { readFileSync } from 'node:fs';

/** The layers that a portrait must have. Eyes other than open and mouths other than rest carry display="none". */
export const LAYERS = {
  moving: ['background', 'hair-back', 'body', 'head', 'features', 'irises'],
  eyes: ['eyes-open', 'eyes-half', 'eyes-closed'],
  mouths: ['rest', 'closed', 'open-small', 'open-wide', 'round', 'teeth', 'spread', 'pursed', 'lip', 'tongue'].map(
    (mouth) => `mouth-${mouth}`,
  ),
};

/** The crop for the smallest pictures, where the face needs all the space. */
export const CLOSE_UP = '58 38 396 396';

export const readPortrait = (folder) => readFileSync(`${folder}/portrait.svg`, 'utf8');

const move = (svg, id, transform) => svg.replace(`<g id="${id}"`, `<g id="${id}" transform="${transform}"`);

const show = (svg, ids, shown) =>
  ids.reduce((text, id) => {
    const bare = text.replace(`<g id="${id}" display="none"`, `<g id="${id}"`);
    return id === shown ? bare : bare.replace(`<g id="${id}"`, `<g id="${id}" display="none"`);
  }, svg);

const round = (value) => Number(value.toFixed(3));

/**
 * The portrait at one moment of its idle loop.
 *
 * @param svg the portrait file's content
 * @param turn 0 to 1 through the loop; every movement completes a whole number of cycles, so 1 looks like 0
 * @param eyes the eye layer to show
 */
export function pose(svg, turn, eyes) {
  const wave = (times, phase = 0) => Math.sin(2 * Math.PI * (times * turn + phase));
  const breath = (1 - Math.cos(2 * Math.PI * turn)) / 2;
  const sway = wave(1);
  // The head follows the chest with a slight delay.
  const lift = 1.5 * (1 + wave(1, -0.3));
  const head = `translate(${round(2.5 * sway)} ${round(-lift)}) rotate(${round(1.3 * sway)} 256 345)`;

  let posed = show(svg, LAYERS.eyes, eyes);
  posed = move(
    posed,
    'body',
    `translate(${round(-1.5 * breath)} ${round(-6 * breath)}) scale(${round(1 + 0.006 * breath)} ${round(1 + 0.012 * breath)})`,
  );
  posed = move(posed, 'hair-back', head);
  posed = move(posed, 'head', head);
  // The face moves further than the skull, which looks like a slight turn.
  posed = move(posed, 'features', `translate(${round(2.6 * sway)} ${round(0.8 * wave(2))})`);
  return move(posed, 'irises', `translate(${round(-1.2 * sway)} 0)`);
}

/** The portrait at rest without hidden layers and layer ids, for embedding into another picture. */
export function still(svg) {
  return svg
    .replace(/^( *)<g [^>]*display="none"[^>]*>\n[\s\S]*?^\1<\/g>\n/gm, '')
    .replace(/ *<title>.*<\/title>\n/, '')
    .replace(/ id="(?![a-z]+-(?:backdrop|skin|hair|knit|jacket)")[^"]*"/g, '');
}

/** The portrait with another viewBox. */
export const crop = (svg, viewBox) => svg.replace(/viewBox="[^"]*"/, `viewBox="${viewBox}"`);
