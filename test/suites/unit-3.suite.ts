import { declareSpecs, unitSpecs } from './specs.js';

declareSpecs(unitSpecs(), 2, 3);
