import { declareSpecs, pageSpecs } from './specs.js';

declareSpecs(pageSpecs(), 0, 3);
