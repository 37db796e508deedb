import { declareSpecs, endToEndSpecs } from './specs.js';

declareSpecs(endToEndSpecs(), 1, 3);
