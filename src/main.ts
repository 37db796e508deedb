import { catchHangups } from './hangup.js';

// Imported first, since the rest takes a second to load.
catchHangups();
const { runService } = await import('./run-service.js');
await runService();
