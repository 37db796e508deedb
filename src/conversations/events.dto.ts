import { ApiProperty } from '@nestjs/swagger';
import { IfGiven } from '../platform/validation/index.js';

export class EventsQuery {
  @IfGiven()
  @ApiProperty({ type: 'string', description: 'As `Last-Event-ID`, which counts if both are given.', required: false })
  last_event_id?: unknown;
}
