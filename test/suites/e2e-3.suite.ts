import { declareSpecs, endToEndSpecs } from './specs.js';

declareSpecs(endToEndSpecs(), 2, 3);
