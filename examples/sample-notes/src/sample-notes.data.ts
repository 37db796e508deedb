import { Injectable } from '@nestjs/common';
import { ErasableData, type Owner } from 'avatar-chat-service';
import { SampleNotesService } from './sample-notes.service.js';

/** Is erased along with everything else that is stored of a user. */
@Injectable()
export class SampleNotesData extends ErasableData {
  readonly name = 'sample-notes';

  constructor(private readonly service: SampleNotesService) {
    super();
  }

  override eraseUser(owner: Owner): Promise<number> {
    return this.service.removeAll(owner);
  }
}
