import { ApiProperty } from '@nestjs/swagger';
import { ERROR_CODES } from 'avatar-chat-errors';

/** The body of every response that is not 2xx. */
export class ErrorBody {
  /** Always `failure`. */
  result!: 'failure';
  /** The HTTP status. */
  status!: number;
  @ApiProperty({
    enum: ERROR_CODES,
    description:
      'Stable machine code. Each is a heading of docs/troubleshooting.md, such as docs/troubleshooting.md#token_expired. Further modules of a service may add codes to these.',
  })
  error!: string;
  /** What went wrong, for people. */
  message!: string;
  /** The same as the `X-Request-Id` header. */
  request_id!: string;
}
