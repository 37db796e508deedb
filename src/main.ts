import './platform/workers/hangup.js';
import cluster from 'node:cluster';
import { loadConfig } from './platform/config/index.js';
// Not by the module's index.ts: a bad setting is refused before the database driver is loaded.
import { explanationOf } from './platform/database/start-failure.js';
import type { Logger } from './platform/logging/index.js';
import {
  endInTime,
  isWorker,
  listenToSupervisor,
  onHangup,
  reportListening,
  superviseWorkers,
} from './platform/workers/index.js';

try {
  const config = loadConfig();
  if (config.workers > 1 && !cluster.isWorker) await superviseWorkers(config.workers);
  else await serve(config);
} catch (error) {
  console.error(explanationOf(error));
  process.exit(1);
}

async function serve(config: ReturnType<typeof loadConfig>): Promise<void> {
  const { port, host, database, databaseChosen, workers, openAiModel, openAiBaseUrl } = config;
  // Others start programs by Node's cluster, too: those are no workers of ours.
  if (workers > 1) listenToSupervisor();
  // Only now, since the modules take a second to load, and a bad setting should not.
  const { createApp } = await import('./app.js');
  const { PublicUrl } = await import('./platform/http/index.js');
  const { LOGGER } = await import('./platform/logging/index.js');
  const app = await createApp();
  endInTime();
  await app.listen(port, host);
  const store =
    database.kind === 'embedded'
      ? ` (${databaseChosen ? '' : 'MONGODB_URI is not set: '}embedded store in ${database.path}, for trying out, development and tests)`
      : '';
  const model = openAiModel === undefined ? '' : `; ${openAiModel} at ${openAiBaseUrl} answers for scripted avatars`;
  const line = `Avatar chat service listening on ${app.get(PublicUrl).listening}${store}${model}`;
  if (isWorker()) return reportListening(line);
  console.log(line);
  const logger = app.get<Logger>(LOGGER);
  onHangup(() => logger.warn('SIGHUP replaces workers, and with WORKERS=1 there are none: nothing is done'));
}
