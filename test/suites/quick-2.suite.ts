import { declareSpecs, quickSpecs } from './specs.js';

declareSpecs(quickSpecs(), 1, 2);
