import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsNumber, IsObject, IsOptional, ValidateNested } from 'class-validator';
import { refusalOf } from '../platform/validation/index.js';

const EXPIRY = refusalOf('invalid_expiry');

export class SecretExpiry {
  @ApiPropertyOptional({ default: 600, nullable: true, description: 'From 10 to 600; clamped.', example: 600 })
  @IsOptional()
  @IsNumber({}, EXPIRY)
  seconds?: number;
}

/** How long a client secret is valid, and for which session. */
export class ClientSecretRequest {
  @ApiPropertyOptional({ type: SecretExpiry, nullable: true })
  @IsOptional()
  @IsObject(EXPIRY)
  @ValidateNested(EXPIRY)
  expires_after?: SecretExpiry;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description:
      'Applied as a first `session.update`. With a `model`, the secret opens sessions with this avatar alone.',
    example: { type: 'realtime', model: 'ada' },
  })
  @IsOptional()
  @IsObject(refusalOf('invalid_live_session', 'session must be an object.'))
  session?: Record<string, unknown>;
}

/** A token for clients in browsers. */
export class ClientSecret {
  @ApiProperty({
    description: '`ek_` and a token. It opens `GET /v1/realtime` and `POST /v1/realtime/calls`, and nothing else.',
    example: 'ek_eyJhbGciOiJIUzI1NiJ9…',
  })
  value!: string;

  @ApiProperty({ type: 'integer', description: 'Unix time in seconds.', example: 1_790_000_000 })
  expires_at!: number;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'The session, as `session.created` will describe it.',
    example: { type: 'realtime', object: 'realtime.session', model: 'ada' },
  })
  session!: Record<string, unknown>;
}
