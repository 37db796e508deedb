import { fileURLToPath } from 'node:url';

const source = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Languages besides English, each in a script of its own. */
const LANGUAGES = ['ar', 'de', 'es', 'fr', 'hi', 'pt', 'zh'];

/** The scripts that pages load: the loader, the rest of the widget, its parts, the `AudioWorklet` script, and the texts. */
export const SCRIPTS = {
  'widget.js': source('src/loader/index.ts'),
  'widget.app.js': source('src/index.ts'),
  'widget.live.js': source('src/live/index.ts'),
  'widget.voice.js': source('src/voice/index.ts'),
  'widget.people.js': source('src/people/index.ts'),
  'widget.worklet.js': source('../client/src/live/worklet.ts'),
  ...Object.fromEntries(LANGUAGES.map((name) => [`widget.${name}.js`, source(`src/strings/${name}.ts`)])),
};

/** Modules that the parts take from `widget.app.js`, which adds them to the shared state under these names. */
const SHARED = {
  [source('../client/src/error.ts')]: 'error',
  [source('src/core/dom.ts')]: 'dom',
  [source('src/media/player.ts')]: 'player',
  [source('src/media/volume.ts')]: 'volume',
  [source('src/voice/open-microphone.ts')]: 'openMicrophone',
  [source('src/voice/voice-mode.ts')]: 'voiceMode',
};

/** The shared modules that a script takes from `widget.app.js`. */
export function sharedBy(name) {
  return ['widget.live.js', 'widget.voice.js', 'widget.people.js'].includes(name) ? SHARED : {};
}
