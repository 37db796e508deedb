import { declareSpecs, packageUnitSpecs } from './specs.js';

declareSpecs(packageUnitSpecs());
