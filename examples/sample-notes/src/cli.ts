import { runCli } from 'avatar-chat-service';
import { SampleNotesModule } from './sample-notes.module.js';

process.exitCode = await runCli(process.argv.slice(2), undefined, [SampleNotesModule]);
