/** Videos of a portrait that speaks, and pictures of it. */
export { renderAvatar } from './portrait/avatar.files.js';
export { PortraitError } from './portrait/portrait.error.js';
export { RenderedVideo } from './rendered.video.js';
export type { FromThread, VideoJob } from './video.messages.js';
export { type StartVideoWorker, videoWorkerClient, type VideoWorkerClient } from './video.worker-client.js';
