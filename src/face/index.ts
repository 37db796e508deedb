// How a portrait moves: of the videos that the service renders, and of the face that the widget shows. It imports nothing.
export {
  BASIC_MOUTHS,
  drawnMouth,
  MOUTHS,
  type Mouth,
  mouthFor,
  MouthTimes,
  type SeenMouth,
  type SpokenPhoneme,
} from './mouth.js';
export { EYES, type Eyes, movedBy, NECK, type Pose, poseAt, type Shift } from './pose.js';
