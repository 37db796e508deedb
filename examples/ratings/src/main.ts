import { Config, createApp, PublicUrl } from 'avatar-chat-service';
import { RatingsModule } from './ratings.module.js';

const app = await createApp([RatingsModule]);
const { host, port } = app.get(Config);
await app.listen(port, host);
console.log(`Avatar chat service with ratings listening on ${app.get(PublicUrl).listening}`);
