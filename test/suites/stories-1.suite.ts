import { declareSpecs, storySpecs } from './specs.js';

declareSpecs(storySpecs(), 0, 3);
