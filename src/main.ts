import { loadConfig } from './config/index.js';
import { isWorker, reportListening, superviseWorkers } from './workers/index.js';

try {
  const { port, host, database, databaseChosen, workers } = loadConfig();
  if (workers > 1 && !isWorker()) await superviseWorkers(workers);
  else {
    // Only now, since the rooms take a second to load, and a bad setting should not.
    const { createApp } = await import('./app.js');
    const { PublicUrl } = await import('./http/index.js');
    const app = await createApp();
    await app.listen(port, host);
    const store =
      database.kind === 'embedded'
        ? ` (${databaseChosen ? '' : 'MONGODB_URI is not set: '}embedded store in ${database.path}, for trying out, development and tests)`
        : '';
    const line = `Avatar chat service listening on ${app.get(PublicUrl).listening}${store}`;
    if (isWorker()) reportListening(line);
    else console.log(line);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
