import { declareSpecs, quickSpecs } from './specs.js';

declareSpecs(quickSpecs(), 0, 2);
