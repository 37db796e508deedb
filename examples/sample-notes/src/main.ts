import { runService } from 'avatar-chat-service';
import { SampleNotesModule } from './sample-notes.module.js';

await runService([SampleNotesModule], { name: 'Avatar chat service with sample notes' });
