/** Why a start failed, for operators. What MongoDB says of a refusal quotes stored values, which must not be printed. */
export function explanationOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { name, message } = error;
  return name === 'MongoServerError' || name === 'MongoBulkWriteError' ? `The database refused: ${name}` : message;
}
