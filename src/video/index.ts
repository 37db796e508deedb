export { hasPortrait, portraitBeside } from './portrait.file.js';
export { VideoModule } from './video.module.js';
export { VideoRenderer } from './video.renderer.js';
