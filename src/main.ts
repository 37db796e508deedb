import { createApp } from './app.js';
import { Config } from './config/index.js';
import { PublicUrl } from './http/index.js';

try {
  const app = await createApp();
  const config = app.get(Config);
  await app.listen(config.port, config.host);
  const store =
    config.database.kind === 'embedded'
      ? ` (embedded store in ${config.database.path}, for trying out, development and tests)`
      : '';
  console.log(`Avatar chat service listening on ${app.get(PublicUrl).listening}${store}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
