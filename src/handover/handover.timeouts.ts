import { Injectable } from '@nestjs/common';
import { BackgroundWork } from '../platform/background/index.js';
import { HandoverService } from './handover.service.js';

const EVERY_MS = 5000;
const BATCH = 100;

/** Returns conversations to their avatars when their time is up, and publishes what was not. */
@Injectable()
export class HandoverTimeouts {
  constructor(handover: HandoverService, background: BackgroundWork) {
    background.add({
      name: 'handover',
      everyMs: EVERY_MS,
      run: async (goesOn) => {
        while (goesOn() && (await handover.settleDue(BATCH)) >= BATCH);
      },
    });
  }
}
