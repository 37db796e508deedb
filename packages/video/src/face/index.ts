// The animation of a portrait, for rendered videos and for the widget's live face. It imports nothing.
export {
  BASIC_MOUTHS,
  drawnMouth,
  MOUTHS,
  type Mouth,
  MouthTimes,
  type SeenMouth,
  type SpokenPhoneme,
} from './mouth.js';
export { EYES, type Eyes, movedBy, NECK, type Pose, poseAt } from './pose.js';
