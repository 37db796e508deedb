import { runCli } from 'avatar-chat-service';
import { RatingsModule } from './ratings.module.js';

process.exitCode = await runCli(process.argv.slice(2), undefined, [RatingsModule]);
