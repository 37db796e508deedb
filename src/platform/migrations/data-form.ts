/**
 * Version of the stored data format that this release reads and writes. Increment it with each migration that makes
 * data unreadable for earlier releases: they then refuse to start with it.
 */
export const DATA_FORM = 1;
