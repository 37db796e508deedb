import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { CatalogueService, chosenLanguage, DEFAULT_PROJECT, faultsAt } from '../../catalogue/index.js';
import { type EngineEntry, EngineRegistry } from '../../engines/index.js';
import { describeError, loggerOf } from '../../platform/logging/index.js';
import { keepHeapSmall } from '../../platform/workers/index.js';
import { SpeechService } from '../../speech/index.js';

/** Delay after the start, so that the first requests have priority. */
const PREPARE_AFTER_MS = 1000;

/** Has engines and voices check their catalogue entries, and prepares them after the start. */
@Injectable()
export class TurnEntries implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = loggerOf(TurnEntries.name);
  private timer?: NodeJS.Timeout;

  constructor(
    private readonly catalogue: CatalogueService,
    private readonly engines: EngineRegistry,
    speech: SpeechService,
  ) {
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

  /** @internal */
  onApplicationBootstrap(): void {
    this.timer = setTimeout(() => void this.prepare(), PREPARE_AFTER_MS).unref();
  }

  /** @internal */
  onApplicationShutdown(): void {
    clearTimeout(this.timer);
  }

  private async prepare(): Promise<void> {
    const letHeapGrow = keepHeapSmall();
    await this.quietly(async () => {
      const resolved = await this.catalogue.findResolvedProject(DEFAULT_PROJECT);
      const [first] = resolved?.avatars ?? [];
      // Most visitors talk with the first avatar in the first language; the others are prepared when they are opened.
      if (resolved && first) await this.engines.prepare(first.engine, chosenLanguage(resolved));
    });
    for (const { engine } of this.catalogue.avatars())
      await this.quietly(async () => this.engines.find(engine.kind)?.readAhead?.(engine));
    letHeapGrow();
  }

  /** What fails here fails again, and is reported, when the engine is asked. */
  private async quietly(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.logger.debug(describeError(error));
    }
  }
}

/** Avatars often share an engine, and parsing a script of rules blocks the event loop for a tenth of a second. */
function once(engines: EngineRegistry): (engine: EngineEntry) => string[] {
  const known = new Map<string, string[]>();
  return (engine) => {
    const key = JSON.stringify(engine);
    const faults = known.get(key) ?? engines.validate(engine);
    known.set(key, faults);
    return faults;
  };
}
