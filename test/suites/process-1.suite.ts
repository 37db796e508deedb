import { declareSpecs, processSpecs } from './specs.js';

declareSpecs(processSpecs(), 0, 2);
