export { VideoAnswers } from './video.answers.js';
export { VideoModule } from './video.module.js';
