/** Bytes of the largest portrait. */
export const PORTRAIT_FILE_LIMIT = 10 * 1024 * 1024;
