import { declareSpecs, pageSpecs } from './specs.js';

declareSpecs(pageSpecs(), 2, 3);
