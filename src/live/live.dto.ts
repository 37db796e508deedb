import { ApiProperty } from '@nestjs/swagger';

/** A token for clients that cannot set headers. */
export class ClientSecret {
  @ApiProperty({
    description: '`ek_` and a token. It opens `GET /v1/realtime` and nothing else.',
    example: 'ek_eyJhbGciOiJIUzI1NiJ9…',
  })
  value!: string;

  @ApiProperty({ type: 'integer', description: 'Unix time in seconds.', example: 1_790_000_000 })
  expires_at!: number;
}
