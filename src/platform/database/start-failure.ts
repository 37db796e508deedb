/** Why a start failed, for operators. MongoDB's error messages quote stored values, which must not be printed. */
export function explanationOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { name, message } = error;
  return name === 'MongoServerError' || name === 'MongoBulkWriteError' ? `The database refused: ${name}` : message;
}
