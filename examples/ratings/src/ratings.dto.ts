import { ApiProperty } from '@nestjs/swagger';
import { refusal } from 'avatar-chat-service';
import { IsInt, Max, Min } from 'class-validator';

export const INVALID_STARS = 'stars must be a whole number from 1 to 5.';
const REFUSAL = refusal('invalid_stars', INVALID_STARS);

export class Rating {
  @IsInt(REFUSAL)
  @Min(1, REFUSAL)
  @Max(5, REFUSAL)
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 5, description: 'How good the answer was.', example: 5 })
  stars!: number;
}
