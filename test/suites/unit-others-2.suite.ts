import { declareSpecs, unitSpecs } from './specs.js';

declareSpecs(unitSpecs(), 1, 2);
