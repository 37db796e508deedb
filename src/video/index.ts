export { renderAvatar } from './avatar.files.js';
export { PortraitError } from './portrait.error.js';
export { hasPortrait, portraitBeside } from './portrait.file.js';
export type { RenderedVideo } from './rendered.video.js';
export type { VideoJob } from './video.messages.js';
export { VideoModule } from './video.module.js';
export { VideoRenderer } from './video.renderer.js';
