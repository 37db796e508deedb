import { declareSpecs, serviceUnitSpecs } from './specs.js';

declareSpecs(serviceUnitSpecs());
