import { Injectable } from '@nestjs/common';
import { faultsAt } from 'avatar-chat-catalogue';
import { CatalogueService } from '../../catalogue/index.js';
import { type EngineEntry } from 'avatar-chat-models';
import { EngineRegistry } from '../../engines/index.js';
import { SpeechService } from '../../speech/index.js';

/** Has engines and voices check their catalogue entries. */
@Injectable()
export class TurnEntries {
  constructor(catalogue: CatalogueService, engines: EngineRegistry, speech: SpeechService) {
    catalogue.addCheck(({ avatars, projects }) => {
      const validate = once(engines);
      return [
        ...avatars.flatMap(({ engine }, index) => faultsAt(`avatars[${index}].engine`, validate(engine))),
        ...projects.flatMap((project, index) =>
          faultsAt(`projects[${index}].speech`, project.speech ? speech.validate(project.speech) : []),
        ),
      ];
    });
  }
}

/** Avatars often share an engine. */
function once(engines: EngineRegistry): (engine: EngineEntry) => string[] {
  const known = new Map<string, string[]>();
  return (engine) => {
    const key = JSON.stringify(engine);
    const faults = known.get(key) ?? engines.validate(engine);
    known.set(key, faults);
    return faults;
  };
}
