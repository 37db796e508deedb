import { declareSpecs, storySpecs } from './specs.js';

declareSpecs(storySpecs(), 2, 3);
