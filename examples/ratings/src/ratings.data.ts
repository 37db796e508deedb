import { Injectable } from '@nestjs/common';
import { ErasableData, type Owner } from 'avatar-chat-service';
import { RatingsService } from './ratings.service.js';

/** Erases a user's ratings along with everything else that is stored of the user. */
@Injectable()
export class RatingsData extends ErasableData {
  readonly name = 'ratings';

  constructor(private readonly ratings: RatingsService) {
    super();
  }

  override eraseUser({ project_id, user_id }: Owner): Promise<number> {
    return this.ratings.removeAll(project_id, user_id);
  }
}
