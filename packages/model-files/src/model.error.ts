/** A model could not be installed. The message is for operators, and safe to print. */
export class ModelError extends Error {
  /** @param mayResume whether what has arrived is kept, so that another call goes on with it */
  constructor(
    message: string,
    options?: ErrorOptions,
    readonly mayResume = false,
  ) {
    super(message, options);
    this.name = 'ModelError';
  }
}
