import { declareSpecs, engineSpecs } from './specs.js';

declareSpecs(engineSpecs());
