import { declareSpecs } from './suite.js';

declareSpecs(0, 3);
