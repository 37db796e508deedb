import { declareSpecs, unitSpecs } from './specs.js';

declareSpecs(unitSpecs());
