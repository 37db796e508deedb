/** The body of every answer that is not 2xx. */
export class ErrorBody {
  /** Always `failure`. */
  result!: 'failure';
  /** The HTTP status. */
  status!: number;
  /** Stable machine code. */
  error!: string;
  /** What went wrong, for a person. */
  message!: string;
  /** Equals the `X-Request-Id` header. */
  request_id!: string;
}
