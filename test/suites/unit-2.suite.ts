import { declareSpecs, engineSpecs, unitSpecs } from './specs.js';

declareSpecs(unitSpecs(), 1, 2);
declareSpecs(engineSpecs());
