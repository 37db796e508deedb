import { Injectable } from '@nestjs/common';
import { OnEvent, type ServiceEvent } from 'avatar-chat-service';
import { RatingsService } from './ratings.service.js';

/** What a user has rated goes when the user's messages go. */
@Injectable()
export class RatingsListener {
  constructor(private readonly ratings: RatingsService) {}

  @OnEvent('user.erased')
  forget({ data: { project_id, user_id } }: ServiceEvent<'user.erased'>): Promise<void> {
    return this.ratings.removeAll(project_id, user_id);
  }
}
