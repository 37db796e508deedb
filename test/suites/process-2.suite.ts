import { declareSpecs, processSpecs } from './specs.js';

declareSpecs(processSpecs(), 1, 2);
