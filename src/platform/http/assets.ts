import { fileURLToPath } from 'node:url';

/** The directory that is served under `/assets/`. */
export const ASSETS = fileURLToPath(new URL('../../../assets/', import.meta.url));
