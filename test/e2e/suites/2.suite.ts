import { declareSpecs } from './suite.js';

declareSpecs(1, 3);
