import { Injectable } from '@nestjs/common';
import { type CatalogueCheck, CatalogueService } from '../catalogue/index.js';
import { type EngineEntry, EngineRegistry } from '../engines/index.js';
import { SpeechService } from '../speech/index.js';

/** Has the catalogue ask the engines and voices themselves whether what is said to them makes sense. */
@Injectable()
export class TurnEntries {
  constructor(catalogue: CatalogueService, engines: EngineRegistry, speech: SpeechService) {
    catalogue.addCheck(({ avatars, projects }) => {
      const validate = once(engines);
      return [
        ...avatars.flatMap(({ engine }, index) => at(`avatars[${index}].engine`, validate(engine))),
        ...projects.flatMap((project, index) =>
          at(`projects[${index}].speech`, project.speech ? speech.validate(project.speech) : []),
        ),
      ];
    });
  }
}

/** Avatars often share an engine, and reading a script of rules takes a tenth of a second, in which nothing else happens. */
function once(engines: EngineRegistry): (engine: EngineEntry) => string[] {
  const known = new Map<string, string[]>();
  return (engine) => {
    const key = JSON.stringify(engine);
    const faults = known.get(key) ?? engines.validate(engine);
    known.set(key, faults);
    return faults;
  };
}

/** A fault such as `model: must be a text`, in its place in the file. */
function at(entry: string, faults: readonly string[]): ReturnType<CatalogueCheck> {
  return faults.map((fault) => {
    const end = fault.indexOf(': ');
    return { place: `${entry}.${fault.slice(0, end)}`, problem: fault.slice(end + 2) };
  });
}
