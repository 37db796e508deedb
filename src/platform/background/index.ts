export { BackgroundModule } from './background.module.js';
export { BackgroundTimes, BackgroundWork, type Job } from './background-work.js';
