import { runService } from 'avatar-chat-service';
import { RatingsModule } from './ratings.module.js';

await runService([RatingsModule], { name: 'Avatar chat service with ratings' });
