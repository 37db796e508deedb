import { declareSpecs, storySpecs } from './specs.js';

declareSpecs(storySpecs(), 1, 3);
