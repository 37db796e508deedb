import { Injectable } from '@nestjs/common';
import { type CatalogueCheck, CatalogueService } from '../catalogue/index.js';
import { EngineRegistry } from '../engines/index.js';
import { SpeechService } from '../speech/index.js';

/** Has the catalogue ask the engines and voices themselves whether what is said to them makes sense. */
@Injectable()
export class TurnEntries {
  constructor(catalogue: CatalogueService, engines: EngineRegistry, speech: SpeechService) {
    catalogue.addCheck(({ avatars, projects }) => [
      ...avatars.flatMap(({ engine }, index) => at(`avatars[${index}].engine`, engines.validate(engine))),
      ...projects.flatMap((project, index) =>
        at(`projects[${index}].speech`, project.speech ? speech.validate(project.speech) : []),
      ),
    ]);
  }
}

/** A fault such as `model: must be a text`, in its place in the file. */
function at(entry: string, faults: readonly string[]): ReturnType<CatalogueCheck> {
  return faults.map((fault) => {
    const end = fault.indexOf(': ');
    return { place: `${entry}.${fault.slice(0, end)}`, problem: fault.slice(end + 2) };
  });
}
