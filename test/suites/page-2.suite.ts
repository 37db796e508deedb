import { declareSpecs, pageSpecs } from './specs.js';

declareSpecs(pageSpecs(), 1, 3);
