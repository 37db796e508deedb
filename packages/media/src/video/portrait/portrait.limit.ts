/** Maximum size of a portrait, in bytes. */
export const PORTRAIT_FILE_LIMIT = 10 * 1024 * 1024;
