import { declareSpecs, endToEndSpecs } from './specs.js';

declareSpecs(endToEndSpecs(), 0, 3);
