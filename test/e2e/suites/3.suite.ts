import { declareSpecs } from './suite.js';

declareSpecs(2, 3);
