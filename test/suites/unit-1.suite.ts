import { declareSpecs, unitSpecs } from './specs.js';

declareSpecs(unitSpecs(), 0, 2);
