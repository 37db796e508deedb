/**
 * The form of the stored data that this release reads and writes. Raise it with each migration that makes data
 * unreadable for earlier releases: these then refuse to start on it.
 */
export const DATA_FORM = 1;
