export { default } from './config/jest.mjs';
