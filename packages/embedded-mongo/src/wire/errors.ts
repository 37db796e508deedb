/** The MongoDB error codes that this server uses. */
export const codes = {
  InternalError: 1,
  BadValue: 2,
  FailedToParse: 9,
  Unauthorized: 13,
  TypeMismatch: 14,
  Overflow: 15,
  InvalidLength: 16,
  AuthenticationFailed: 18,
  IllegalOperation: 20,
  InvalidBSON: 22,
  NamespaceNotFound: 26,
  IndexNotFound: 27,
  PathNotViable: 28,
  ConflictingUpdateOperators: 40,
  CursorNotFound: 43,
  NamespaceExists: 48,
  MaxTimeMSExpired: 50,
  DollarPrefixedFieldName: 52,
  InvalidIdField: 53,
  EmptyFieldName: 56,
  CommandNotFound: 59,
  ImmutableField: 66,
  CannotCreateIndex: 67,
  InvalidOptions: 72,
  InvalidNamespace: 73,
  OperationFailed: 96,
  IndexOptionsConflict: 85,
  IndexKeySpecsConflict: 86,
  CommandNotSupported: 115,
  NotAReplicaSet: 123,
  CannotBackfillArray: 158,
  InvalidPipelineOperator: 168,
  CannotIndexParallelArrays: 171,
  QueryPlanKilled: 175,
  InvalidIndexSpecificationOption: 197,
  OperationNotSupportedInTransaction: 263,
  ConversionFailure: 241,
  ClientDisconnect: 279,
  QueryExceededMemoryLimit: 292,
  ProtocolError: 17,
  ShutdownInProgress: 91,
  OutOfDiskSpace: 14031,
  IndexBuildAborted: 276,
  DuplicateKey: 11000,
  CursorInUse: 12051,
  BSONObjectTooLarge: 10334,
  KeyTooLong: 17280,
  MissingParameter: 40414,
  UnknownField: 40415,
  UnknownStage: 40324,
} as const;

/** Names that MongoDB spells differently from ours. */
const mongoNames: Partial<Record<string, string>> = {
  QueryExceededMemoryLimit: 'QueryExceededMemoryLimitNoDiskUseAllowed',
  MissingParameter: 'Location40414',
  UnknownField: 'IDLUnknownField',
  UnknownStage: 'Location40324',
};

/** An error for the client, sent as `{ok: 0, code, codeName, errmsg}` or as a write error. */
export class CommandError extends Error {
  readonly code: number;
  readonly codeName: string;

  /**
   * @param name a number is a code for which MongoDB has no name.
   * @param extra further fields of the reply, such as `keyPattern` and `keyValue`.
   */
  constructor(
    name: keyof typeof codes | number,
    message: string,
    readonly extra: Record<string, unknown> = {},
  ) {
    super(message);
    this.code = typeof name === 'number' ? name : codes[name];
    this.codeName = typeof name === 'number' ? `Location${name}` : (mongoNames[name] ?? name);
  }
}
