import { Injectable } from '@nestjs/common';
import { OnEvent, type ServiceEvent } from 'avatar-chat-service';
import { RatingsService } from './ratings.service.js';

/** Erases a user's ratings along with the user's messages. */
@Injectable()
export class RatingsListener {
  constructor(private readonly ratings: RatingsService) {}

  @OnEvent('user.erased')
  forget({ data: { project_id, user_id } }: ServiceEvent<'user.erased'>): Promise<void> {
    return this.ratings.removeAll(project_id, user_id);
  }
}
