export { isGone } from './erasures.errors.js';
export { ErasuresModule } from './erasures.module.js';
export { type Beginning, Erasures } from './erasures.service.js';
