import { fileURLToPath } from 'node:url';

/** The directory of what is served under `/assets/`. */
export const ASSETS = fileURLToPath(new URL('../../../assets/', import.meta.url));
